"""Recurrent networks and their cells."""

import torch

from operators.table import case, f


def network(kind, **options):
    torch.manual_seed(0)
    module = getattr(torch.nn, kind)(4, 6, **options).eval()
    weights = [p.detach() for p in module._flat_weights]
    both, layers = module.bidirectional, module.num_layers
    name = {"LSTM": "lstm", "GRU": "gru", "RNN": f"rnn_{options.get('nonlinearity', 'tanh')}"}

    def run(x, *state):
        function = getattr(torch, name[kind])
        hidden = list(state) if kind == "LSTM" else state[0]
        return function(
            x, hidden, weights, module.bias, layers, 0.0, False, both, module.batch_first
        )

    return run


STATES = {"LSTM": 2, "GRU": 1, "RNN": 1}
for kind, count in STATES.items():
    for name, options in {
        "plain": {},
        "no_bias": {"bias": False},
        "two_layers": {"num_layers": 2},
        "both_ways": {"bidirectional": True, "num_layers": 2},
        "batch_first": {"batch_first": True},
    }.items():
        rows = (1 + ("num_layers" in options)) * (1 + ("bidirectional" in options))
        x = f(3, 7, 4) if name == "batch_first" else f(7, 3, 4)
        states = [f(rows, 3, 6)] * count
        case(
            "recurrent", f"{kind}.{name}", network(kind, **options), x, *states, dynamic=False
        )
case(
    "recurrent",
    "RNN.relu",
    network("RNN", nonlinearity="relu"),
    f(7, 3, 4),
    f(1, 3, 6),
    dynamic=False,
)



def cell(kind):
    torch.manual_seed(1)
    module = getattr(torch.nn, kind)(4, 6)
    w = [p.detach() for p in module.parameters()]
    name = {"LSTMCell": "lstm_cell", "GRUCell": "gru_cell", "RNNCell": "rnn_tanh_cell"}[kind]
    if kind == "LSTMCell":
        return lambda x, h, c: getattr(torch, name)(x, [h, c], *w)
    return lambda x, h: getattr(torch, name)(x, h, *w)


case("recurrent", "LSTMCell", cell("LSTMCell"), f("n", 4), f("n", 6), f("n", 6))
case("recurrent", "GRUCell", cell("GRUCell"), f("n", 4), f("n", 6))
case("recurrent", "RNNCell", cell("RNNCell"), f("n", 4), f("n", 6))
