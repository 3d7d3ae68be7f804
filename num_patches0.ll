; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare ptr @malloc(i64)

define { ptr, ptr, i64, [3 x i64], [3 x i64] } @patches(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10, ptr %11, ptr %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17, i64 %18, i64 %19, i64 %20, i64 %21) {
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
  %45 = call ptr @malloc(i64 1088)
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
  %56 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %55, i64 4, 3, 2
  %57 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %56, i64 4, 3, 3
  %58 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %57, i64 128, 4, 0
  %59 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %58, i64 16, 4, 1
  %60 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %59, i64 4, 4, 2
  %61 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %60, i64 1, 4, 3
  br label %62

62:                                               ; preds = %91, %22
  %63 = phi i64 [ %92, %91 ], [ 0, %22 ]
  %64 = icmp slt i64 %63, 2
  br i1 %64, label %65, label %93

65:                                               ; preds = %62
  br label %66

66:                                               ; preds = %89, %65
  %67 = phi i64 [ %90, %89 ], [ 0, %65 ]
  %68 = icmp slt i64 %67, 8
  br i1 %68, label %69, label %91

69:                                               ; preds = %66
  br label %70

70:                                               ; preds = %87, %69
  %71 = phi i64 [ %88, %87 ], [ 0, %69 ]
  %72 = icmp slt i64 %71, 4
  br i1 %72, label %73, label %89

73:                                               ; preds = %70
  br label %74

74:                                               ; preds = %77, %73
  %75 = phi i64 [ %86, %77 ], [ 0, %73 ]
  %76 = icmp slt i64 %75, 4
  br i1 %76, label %77, label %87

77:                                               ; preds = %74
  %78 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %79 = mul nuw nsw i64 %63, 128
  %80 = mul nuw nsw i64 %67, 16
  %81 = add nuw nsw i64 %79, %80
  %82 = mul nuw nsw i64 %71, 4
  %83 = add nuw nsw i64 %81, %82
  %84 = add nuw nsw i64 %83, %75
  %85 = getelementptr inbounds nuw float, ptr %78, i64 %84
  store float 0.000000e+00, ptr %85, align 4
  %86 = add i64 %75, 1
  br label %74

87:                                               ; preds = %74
  %88 = add i64 %71, 1
  br label %70

89:                                               ; preds = %70
  %90 = add i64 %67, 1
  br label %66

91:                                               ; preds = %66
  %92 = add i64 %63, 1
  br label %62

93:                                               ; preds = %62
  br label %94

94:                                               ; preds = %174, %93
  %95 = phi i64 [ %175, %174 ], [ 0, %93 ]
  %96 = icmp slt i64 %95, 2
  br i1 %96, label %97, label %176

97:                                               ; preds = %94
  br label %98

98:                                               ; preds = %172, %97
  %99 = phi i64 [ %173, %172 ], [ 0, %97 ]
  %100 = icmp slt i64 %99, 8
  br i1 %100, label %101, label %174

101:                                              ; preds = %98
  br label %102

102:                                              ; preds = %170, %101
  %103 = phi i64 [ %171, %170 ], [ 0, %101 ]
  %104 = icmp slt i64 %103, 4
  br i1 %104, label %105, label %172

105:                                              ; preds = %102
  br label %106

106:                                              ; preds = %168, %105
  %107 = phi i64 [ %169, %168 ], [ 0, %105 ]
  %108 = icmp slt i64 %107, 4
  br i1 %108, label %109, label %170

109:                                              ; preds = %106
  br label %110

110:                                              ; preds = %166, %109
  %111 = phi i64 [ %167, %166 ], [ 0, %109 ]
  %112 = icmp slt i64 %111, 3
  br i1 %112, label %113, label %168

113:                                              ; preds = %110
  br label %114

114:                                              ; preds = %164, %113
  %115 = phi i64 [ %165, %164 ], [ 0, %113 ]
  %116 = icmp slt i64 %115, 2
  br i1 %116, label %117, label %166

117:                                              ; preds = %114
  br label %118

118:                                              ; preds = %121, %117
  %119 = phi i64 [ %163, %121 ], [ 0, %117 ]
  %120 = icmp slt i64 %119, 2
  br i1 %120, label %121, label %164

121:                                              ; preds = %118
  %122 = mul nsw i64 %103, 2
  %123 = add i64 %122, %115
  %124 = mul nsw i64 %107, 2
  %125 = add i64 %124, %119
  %126 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 1
  %127 = mul nuw nsw i64 %95, 192
  %128 = mul nuw nsw i64 %111, 64
  %129 = add nuw nsw i64 %127, %128
  %130 = mul nuw nsw i64 %123, 8
  %131 = add nuw nsw i64 %129, %130
  %132 = add nuw nsw i64 %131, %125
  %133 = getelementptr inbounds nuw float, ptr %126, i64 %132
  %134 = load float, ptr %133, align 4
  %135 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %33, 1
  %136 = mul nuw nsw i64 %99, 12
  %137 = mul nuw nsw i64 %111, 4
  %138 = add nuw nsw i64 %136, %137
  %139 = mul nuw nsw i64 %115, 2
  %140 = add nuw nsw i64 %138, %139
  %141 = add nuw nsw i64 %140, %119
  %142 = getelementptr inbounds nuw float, ptr %135, i64 %141
  %143 = load float, ptr %142, align 4
  %144 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %145 = mul nuw nsw i64 %95, 128
  %146 = mul nuw nsw i64 %99, 16
  %147 = add nuw nsw i64 %145, %146
  %148 = mul nuw nsw i64 %103, 4
  %149 = add nuw nsw i64 %147, %148
  %150 = add nuw nsw i64 %149, %107
  %151 = getelementptr inbounds nuw float, ptr %144, i64 %150
  %152 = load float, ptr %151, align 4
  %153 = fmul float %134, %143
  %154 = fadd float %152, %153
  %155 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %156 = mul nuw nsw i64 %95, 128
  %157 = mul nuw nsw i64 %99, 16
  %158 = add nuw nsw i64 %156, %157
  %159 = mul nuw nsw i64 %103, 4
  %160 = add nuw nsw i64 %158, %159
  %161 = add nuw nsw i64 %160, %107
  %162 = getelementptr inbounds nuw float, ptr %155, i64 %161
  store float %154, ptr %162, align 4
  %163 = add i64 %119, 1
  br label %118

164:                                              ; preds = %118
  %165 = add i64 %115, 1
  br label %114

166:                                              ; preds = %114
  %167 = add i64 %111, 1
  br label %110

168:                                              ; preds = %110
  %169 = add i64 %107, 1
  br label %106

170:                                              ; preds = %106
  %171 = add i64 %103, 1
  br label %102

172:                                              ; preds = %102
  %173 = add i64 %99, 1
  br label %98

174:                                              ; preds = %98
  %175 = add i64 %95, 1
  br label %94

176:                                              ; preds = %94
  %177 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 0
  %178 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %179 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } poison, ptr %177, 0
  %180 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %179, ptr %178, 1
  %181 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %180, i64 0, 2
  %182 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %181, i64 2, 3, 0
  %183 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %182, i64 128, 4, 0
  %184 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %183, i64 8, 3, 1
  %185 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %184, i64 16, 4, 1
  %186 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %185, i64 16, 3, 2
  %187 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %186, i64 1, 4, 2
  %188 = call ptr @malloc(i64 1088)
  %189 = ptrtoint ptr %188 to i64
  %190 = add i64 %189, 63
  %191 = urem i64 %190, 64
  %192 = sub i64 %190, %191
  %193 = inttoptr i64 %192 to ptr
  %194 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } poison, ptr %188, 0
  %195 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %194, ptr %193, 1
  %196 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %195, i64 0, 2
  %197 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %196, i64 2, 3, 0
  %198 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %197, i64 16, 3, 1
  %199 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %198, i64 8, 3, 2
  %200 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %199, i64 128, 4, 0
  %201 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %200, i64 8, 4, 1
  %202 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %201, i64 1, 4, 2
  br label %203

203:                                              ; preds = %231, %176
  %204 = phi i64 [ %232, %231 ], [ 0, %176 ]
  %205 = icmp slt i64 %204, 2
  br i1 %205, label %206, label %233

206:                                              ; preds = %203
  br label %207

207:                                              ; preds = %229, %206
  %208 = phi i64 [ %230, %229 ], [ 0, %206 ]
  %209 = icmp slt i64 %208, 16
  br i1 %209, label %210, label %231

210:                                              ; preds = %207
  br label %211

211:                                              ; preds = %214, %210
  %212 = phi i64 [ %228, %214 ], [ 0, %210 ]
  %213 = icmp slt i64 %212, 8
  br i1 %213, label %214, label %229

214:                                              ; preds = %211
  %215 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %187, 1
  %216 = mul nuw nsw i64 %204, 128
  %217 = mul nuw nsw i64 %212, 16
  %218 = add nuw nsw i64 %216, %217
  %219 = add nuw nsw i64 %218, %208
  %220 = getelementptr inbounds nuw float, ptr %215, i64 %219
  %221 = load float, ptr %220, align 4
  %222 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %202, 1
  %223 = mul nuw nsw i64 %204, 128
  %224 = mul nuw nsw i64 %208, 8
  %225 = add nuw nsw i64 %223, %224
  %226 = add nuw nsw i64 %225, %212
  %227 = getelementptr inbounds nuw float, ptr %222, i64 %226
  store float %221, ptr %227, align 4
  %228 = add i64 %212, 1
  br label %211

229:                                              ; preds = %211
  %230 = add i64 %208, 1
  br label %207

231:                                              ; preds = %207
  %232 = add i64 %204, 1
  br label %203

233:                                              ; preds = %203
  ret { ptr, ptr, i64, [3 x i64], [3 x i64] } %202
}

define void @_mlir_ciface_patches(ptr %0, ptr %1, ptr %2) {
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
  %28 = call { ptr, ptr, i64, [3 x i64], [3 x i64] } @patches(ptr %5, ptr %6, i64 %7, i64 %8, i64 %9, i64 %10, i64 %11, i64 %12, i64 %13, i64 %14, i64 %15, ptr %17, ptr %18, i64 %19, i64 %20, i64 %21, i64 %22, i64 %23, i64 %24, i64 %25, i64 %26, i64 %27)
  store { ptr, ptr, i64, [3 x i64], [3 x i64] } %28, ptr %0, align 8
  ret void
}

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
