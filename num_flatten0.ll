; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare ptr @malloc(i64)

define { ptr, ptr, i64, [2 x i64], [2 x i64] } @flatten(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10, ptr %11, ptr %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17, i64 %18, i64 %19, i64 %20, i64 %21) {
  %23 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %11, 0
  %24 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %23, ptr %12, 1
  %25 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %24, i64 %13, 2
  %26 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %25, i64 %14, 3, 0
  %27 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %26, i64 %18, 4, 0
  %28 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %27, i64 %15, 3, 1
  %29 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %28, i64 %19, 4, 1
  %30 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, i64 %16, 3, 2
  %31 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %30, i64 %20, 4, 2
  %32 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %31, i64 %17, 3, 3
  %33 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %32, i64 %21, 4, 3
  %34 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %0, 0
  %35 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %34, ptr %1, 1
  %36 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %35, i64 %2, 2
  %37 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, i64 %3, 3, 0
  %38 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %37, i64 %7, 4, 0
  %39 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %38, i64 %4, 3, 1
  %40 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %39, i64 %8, 4, 1
  %41 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %40, i64 %5, 3, 2
  %42 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %41, i64 %9, 4, 2
  %43 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %42, i64 %6, 3, 3
  %44 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %43, i64 %10, 4, 3
  %45 = call ptr @malloc(i64 128)
  %46 = ptrtoint ptr %45 to i64
  %47 = add i64 %46, 63
  %48 = urem i64 %47, 64
  %49 = sub i64 %47, %48
  %50 = inttoptr i64 %49 to ptr
  %51 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %45, 0
  %52 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %51, ptr %50, 1
  %53 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %52, i64 0, 2
  %54 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %53, i64 2, 3, 0
  %55 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %54, i64 8, 3, 1
  %56 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %55, i64 1, 3, 2
  %57 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %56, i64 1, 3, 3
  %58 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %57, i64 8, 4, 0
  %59 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %58, i64 1, 4, 1
  %60 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %59, i64 1, 4, 2
  %61 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %60, i64 1, 4, 3
  br label %62

62:                                               ; preds = %89, %22
  %63 = phi i64 [ %90, %89 ], [ 0, %22 ]
  %64 = icmp slt i64 %63, 2
  br i1 %64, label %65, label %91

65:                                               ; preds = %62
  br label %66

66:                                               ; preds = %87, %65
  %67 = phi i64 [ %88, %87 ], [ 0, %65 ]
  %68 = icmp slt i64 %67, 8
  br i1 %68, label %69, label %89

69:                                               ; preds = %66
  br label %70

70:                                               ; preds = %85, %69
  %71 = phi i64 [ %86, %85 ], [ 0, %69 ]
  %72 = icmp slt i64 %71, 1
  br i1 %72, label %73, label %87

73:                                               ; preds = %70
  br label %74

74:                                               ; preds = %77, %73
  %75 = phi i64 [ %84, %77 ], [ 0, %73 ]
  %76 = icmp slt i64 %75, 1
  br i1 %76, label %77, label %85

77:                                               ; preds = %74
  %78 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %79 = mul nuw nsw i64 %63, 8
  %80 = add nuw nsw i64 %79, %67
  %81 = add nuw nsw i64 %80, %71
  %82 = add nuw nsw i64 %81, %75
  %83 = getelementptr inbounds nuw float, ptr %78, i64 %82
  store float 0.000000e+00, ptr %83, align 4
  %84 = add i64 %75, 1
  br label %74

85:                                               ; preds = %74
  %86 = add i64 %71, 1
  br label %70

87:                                               ; preds = %70
  %88 = add i64 %67, 1
  br label %66

89:                                               ; preds = %66
  %90 = add i64 %63, 1
  br label %62

91:                                               ; preds = %62
  br label %92

92:                                               ; preds = %162, %91
  %93 = phi i64 [ %163, %162 ], [ 0, %91 ]
  %94 = icmp slt i64 %93, 2
  br i1 %94, label %95, label %164

95:                                               ; preds = %92
  br label %96

96:                                               ; preds = %160, %95
  %97 = phi i64 [ %161, %160 ], [ 0, %95 ]
  %98 = icmp slt i64 %97, 8
  br i1 %98, label %99, label %162

99:                                               ; preds = %96
  br label %100

100:                                              ; preds = %158, %99
  %101 = phi i64 [ %159, %158 ], [ 0, %99 ]
  %102 = icmp slt i64 %101, 1
  br i1 %102, label %103, label %160

103:                                              ; preds = %100
  br label %104

104:                                              ; preds = %156, %103
  %105 = phi i64 [ %157, %156 ], [ 0, %103 ]
  %106 = icmp slt i64 %105, 1
  br i1 %106, label %107, label %158

107:                                              ; preds = %104
  br label %108

108:                                              ; preds = %154, %107
  %109 = phi i64 [ %155, %154 ], [ 0, %107 ]
  %110 = icmp slt i64 %109, 4
  br i1 %110, label %111, label %156

111:                                              ; preds = %108
  br label %112

112:                                              ; preds = %152, %111
  %113 = phi i64 [ %153, %152 ], [ 0, %111 ]
  %114 = icmp slt i64 %113, 1
  br i1 %114, label %115, label %154

115:                                              ; preds = %112
  br label %116

116:                                              ; preds = %119, %115
  %117 = phi i64 [ %151, %119 ], [ 0, %115 ]
  %118 = icmp slt i64 %117, 1
  br i1 %118, label %119, label %152

119:                                              ; preds = %116
  %120 = add i64 %101, %113
  %121 = add i64 %105, %117
  %122 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 1
  %123 = mul nuw nsw i64 %93, 4
  %124 = add nuw nsw i64 %123, %109
  %125 = add nuw nsw i64 %124, %120
  %126 = add nuw nsw i64 %125, %121
  %127 = getelementptr inbounds nuw float, ptr %122, i64 %126
  %128 = load float, ptr %127, align 4
  %129 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %33, 1
  %130 = mul nuw nsw i64 %97, 4
  %131 = add nuw nsw i64 %130, %109
  %132 = add nuw nsw i64 %131, %113
  %133 = add nuw nsw i64 %132, %117
  %134 = getelementptr inbounds nuw float, ptr %129, i64 %133
  %135 = load float, ptr %134, align 4
  %136 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %137 = mul nuw nsw i64 %93, 8
  %138 = add nuw nsw i64 %137, %97
  %139 = add nuw nsw i64 %138, %101
  %140 = add nuw nsw i64 %139, %105
  %141 = getelementptr inbounds nuw float, ptr %136, i64 %140
  %142 = load float, ptr %141, align 4
  %143 = fmul float %128, %135
  %144 = fadd float %142, %143
  %145 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %146 = mul nuw nsw i64 %93, 8
  %147 = add nuw nsw i64 %146, %97
  %148 = add nuw nsw i64 %147, %101
  %149 = add nuw nsw i64 %148, %105
  %150 = getelementptr inbounds nuw float, ptr %145, i64 %149
  store float %144, ptr %150, align 4
  %151 = add i64 %117, 1
  br label %116

152:                                              ; preds = %116
  %153 = add i64 %113, 1
  br label %112

154:                                              ; preds = %112
  %155 = add i64 %109, 1
  br label %108

156:                                              ; preds = %108
  %157 = add i64 %105, 1
  br label %104

158:                                              ; preds = %104
  %159 = add i64 %101, 1
  br label %100

160:                                              ; preds = %100
  %161 = add i64 %97, 1
  br label %96

162:                                              ; preds = %96
  %163 = add i64 %93, 1
  br label %92

164:                                              ; preds = %92
  %165 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 0
  %166 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %167 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } poison, ptr %165, 0
  %168 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %167, ptr %166, 1
  %169 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %168, i64 0, 2
  %170 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %169, i64 2, 3, 0
  %171 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %170, i64 8, 4, 0
  %172 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %171, i64 8, 3, 1
  %173 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %172, i64 1, 4, 1
  ret { ptr, ptr, i64, [2 x i64], [2 x i64] } %173
}

define void @_mlir_ciface_flatten(ptr %0, ptr %1, ptr %2) {
  %4 = load { ptr, ptr, i64, [4 x i64], [4 x i64] }, ptr %1, align 8
  %5 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %4, 0
  %6 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %4, 1
  %7 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %4, 2
  %8 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %4, 3, 0
  %9 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %4, 3, 1
  %10 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %4, 3, 2
  %11 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %4, 3, 3
  %12 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %4, 4, 0
  %13 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %4, 4, 1
  %14 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %4, 4, 2
  %15 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %4, 4, 3
  %16 = load { ptr, ptr, i64, [4 x i64], [4 x i64] }, ptr %2, align 8
  %17 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %16, 0
  %18 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %16, 1
  %19 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %16, 2
  %20 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %16, 3, 0
  %21 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %16, 3, 1
  %22 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %16, 3, 2
  %23 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %16, 3, 3
  %24 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %16, 4, 0
  %25 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %16, 4, 1
  %26 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %16, 4, 2
  %27 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %16, 4, 3
  %28 = call { ptr, ptr, i64, [2 x i64], [2 x i64] } @flatten(ptr %5, ptr %6, i64 %7, i64 %8, i64 %9, i64 %10, i64 %11, i64 %12, i64 %13, i64 %14, i64 %15, ptr %17, ptr %18, i64 %19, i64 %20, i64 %21, i64 %22, i64 %23, i64 %24, i64 %25, i64 %26, i64 %27)
  store { ptr, ptr, i64, [2 x i64], [2 x i64] } %28, ptr %0, align 8
  ret void
}

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
