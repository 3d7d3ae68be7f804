"""Loss functions."""

import torch
import torch.nn.functional as F

from operators.table import case, f, i, pos, unit

for reduction in ("none", "mean", "sum"):
    r = {"reduction": reduction}

    def add(name, function, *inputs, **options):
        case("losses", f"{name}.{reduction}", function, *inputs, **options)

    add("huber", lambda x, y, r=r: F.huber_loss(x, y, delta=0.7, **r), f("n", 4), f("n", 4))
    add("smooth_l1", lambda x, y, r=r: F.smooth_l1_loss(x, y, beta=0.7, **r), f("n", 4), f("n", 4))
    add("soft_margin", lambda x, y, r=r: F.soft_margin_loss(x, y, **r), f("n", 4), f("n", 4))
    add("poisson", lambda x, y, r=r: F.poisson_nll_loss(x, y, full=True, **r), f("n", 4), pos("n", 4))
    add("kl_div", lambda x, y, r=r: F.kl_div(x, y, **r), f("n", 4), pos("n", 4))
    add("kl_div_log", lambda x, y, r=r: F.kl_div(x, y, log_target=True, **r), f("n", 4), f("n", 4))
    add(
        "bce",
        lambda x, y, r=r: F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), **r),
        f("n", 4),
        f("n", 4),
    )
    add(
        "bce_logits",
        lambda x, y, w, r=r: F.binary_cross_entropy_with_logits(x, y, pos_weight=w, **r),
        f("n", 4),
        f("n", 4),
        pos(4),
    )
    add("hinge", lambda x, y, r=r: F.hinge_embedding_loss(x, y.sign(), **r), f("n", 4), f("n", 4))
    add(
        "margin_ranking",
        lambda x, y, t, r=r: F.margin_ranking_loss(x, y, t.sign(), margin=0.3, **r),
        f("n"),
        f("n"),
        f("n"),
    )
    add(
        "cosine_embedding",
        lambda x, y, t, r=r: F.cosine_embedding_loss(x, y, t.sign(), margin=0.1, **r),
        f("n", 4),
        f("n", 4),
        f("n"),
    )
    add(
        "nll",
        lambda x, t, w, r=r: F.nll_loss(x, t, w, ignore_index=1, **r),
        f("n", 5),
        i("n", low=0, high=5),
        pos(5),
    )
    add("nll_2d", lambda x, t, r=r: F.nll_loss(x, t, **r), f(2, 5, "n", 3), i(2, "n", 3, low=0, high=5))
    add(
        "cross_entropy",
        lambda x, t, w, r=r: F.cross_entropy(x, t, w, label_smoothing=0.2, **r),
        f("n", 5),
        i("n", low=0, high=5),
        pos(5),
    )
    add(
        "cross_entropy_probabilities",
        lambda x, t, r=r: F.cross_entropy(x, t, label_smoothing=0.2, **r),
        f("n", 5, 3),
        unit("n", 5, 3),
    )
    # A 0-d tensor promotes only by its category: the loss of an f32 scalar and an f16 tensor is
    # f16.
    for name in ("l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss"):
        function = getattr(F, name)
        add(
            f"{name}.0d_and_half",
            lambda x, y, function=function, r=r: function(x, y.half(), **r),
            f(),
            f("n", 4),
        )
case("losses", "cross_entropy.one", F.cross_entropy, f(5), i(low=0, high=5), dynamic=False)
case("losses", "mse", F.mse_loss, f("n", 4), f("n", 4))
case(
    "losses",
    "triplet",
    lambda a, p, n: torch.linalg.vector_norm(a - p, dim=1) - F.pairwise_distance(a, n),
    f("n", 4),
    f("n", 4),
    f("n", 4),
)
for reduction in ("none", "mean", "sum"):
    for p in (1, 2):
        case(
            "losses",
            f"multi_margin.{p}.{reduction}",
            lambda x, t, w, p=p, r=reduction: F.multi_margin_loss(
                x, t, p=p, margin=0.7, weight=w, reduction=r
            ),
            f("n", 4),
            i("n", low=0, high=4),
            pos(4),
        )
    case(
        "losses",
        f"multilabel_margin.{reduction}",
        lambda x, t, r=reduction: F.multilabel_margin_loss(x, t, reduction=r),
        f("n", 4),
        i("n", 4, low=-1, high=4),
        decomposes=False,
    )
case("losses", "multi_margin.one", F.multi_margin_loss, f(5), i(low=0, high=5), dynamic=False)
case("losses", "multilabel_margin.one", F.multilabel_margin_loss, f(3), i(3, low=-1, high=3), dynamic=False,
     decomposes=False)
case("losses", "prelu.0d", F.prelu, f(), f(1), dynamic=False)
