; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare void @memrefCopy(i64, ptr, ptr)

declare ptr @malloc(i64)

define { { ptr, ptr, i64, [3 x i64], [3 x i64] }, float } @concat(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10, ptr %11, ptr %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17, i64 %18, i64 %19, i64 %20, i64 %21) {
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
  %45 = call ptr @malloc(i64 576)
  %46 = ptrtoint ptr %45 to i64
  %47 = add i64 %46, 63
  %48 = urem i64 %47, 64
  %49 = sub i64 %47, %48
  %50 = inttoptr i64 %49 to ptr
  %51 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %45, 0
  %52 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %51, ptr %50, 1
  %53 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %52, i64 0, 2
  %54 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %53, i64 1, 3, 0
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
  %64 = icmp slt i64 %63, 1
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

94:                                               ; preds = %170, %93
  %95 = phi i64 [ %171, %170 ], [ 0, %93 ]
  %96 = icmp slt i64 %95, 1
  br i1 %96, label %97, label %172

97:                                               ; preds = %94
  br label %98

98:                                               ; preds = %168, %97
  %99 = phi i64 [ %169, %168 ], [ 0, %97 ]
  %100 = icmp slt i64 %99, 8
  br i1 %100, label %101, label %170

101:                                              ; preds = %98
  br label %102

102:                                              ; preds = %166, %101
  %103 = phi i64 [ %167, %166 ], [ 0, %101 ]
  %104 = icmp slt i64 %103, 4
  br i1 %104, label %105, label %168

105:                                              ; preds = %102
  br label %106

106:                                              ; preds = %164, %105
  %107 = phi i64 [ %165, %164 ], [ 0, %105 ]
  %108 = icmp slt i64 %107, 4
  br i1 %108, label %109, label %166

109:                                              ; preds = %106
  br label %110

110:                                              ; preds = %162, %109
  %111 = phi i64 [ %163, %162 ], [ 0, %109 ]
  %112 = icmp slt i64 %111, 3
  br i1 %112, label %113, label %164

113:                                              ; preds = %110
  br label %114

114:                                              ; preds = %160, %113
  %115 = phi i64 [ %161, %160 ], [ 0, %113 ]
  %116 = icmp slt i64 %115, 1
  br i1 %116, label %117, label %162

117:                                              ; preds = %114
  br label %118

118:                                              ; preds = %121, %117
  %119 = phi i64 [ %159, %121 ], [ 0, %117 ]
  %120 = icmp slt i64 %119, 1
  br i1 %120, label %121, label %160

121:                                              ; preds = %118
  %122 = add i64 %103, %115
  %123 = add i64 %107, %119
  %124 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 1
  %125 = mul nuw nsw i64 %95, 48
  %126 = mul nuw nsw i64 %111, 16
  %127 = add nuw nsw i64 %125, %126
  %128 = mul nuw nsw i64 %122, 4
  %129 = add nuw nsw i64 %127, %128
  %130 = add nuw nsw i64 %129, %123
  %131 = getelementptr inbounds nuw float, ptr %124, i64 %130
  %132 = load float, ptr %131, align 4
  %133 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %33, 1
  %134 = mul nuw nsw i64 %99, 3
  %135 = add nuw nsw i64 %134, %111
  %136 = add nuw nsw i64 %135, %115
  %137 = add nuw nsw i64 %136, %119
  %138 = getelementptr inbounds nuw float, ptr %133, i64 %137
  %139 = load float, ptr %138, align 4
  %140 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %141 = mul nuw nsw i64 %95, 128
  %142 = mul nuw nsw i64 %99, 16
  %143 = add nuw nsw i64 %141, %142
  %144 = mul nuw nsw i64 %103, 4
  %145 = add nuw nsw i64 %143, %144
  %146 = add nuw nsw i64 %145, %107
  %147 = getelementptr inbounds nuw float, ptr %140, i64 %146
  %148 = load float, ptr %147, align 4
  %149 = fmul float %132, %139
  %150 = fadd float %148, %149
  %151 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %152 = mul nuw nsw i64 %95, 128
  %153 = mul nuw nsw i64 %99, 16
  %154 = add nuw nsw i64 %152, %153
  %155 = mul nuw nsw i64 %103, 4
  %156 = add nuw nsw i64 %154, %155
  %157 = add nuw nsw i64 %156, %107
  %158 = getelementptr inbounds nuw float, ptr %151, i64 %157
  store float %150, ptr %158, align 4
  %159 = add i64 %119, 1
  br label %118

160:                                              ; preds = %118
  %161 = add i64 %115, 1
  br label %114

162:                                              ; preds = %114
  %163 = add i64 %111, 1
  br label %110

164:                                              ; preds = %110
  %165 = add i64 %107, 1
  br label %106

166:                                              ; preds = %106
  %167 = add i64 %103, 1
  br label %102

168:                                              ; preds = %102
  %169 = add i64 %99, 1
  br label %98

170:                                              ; preds = %98
  %171 = add i64 %95, 1
  br label %94

172:                                              ; preds = %94
  %173 = call ptr @malloc(i64 1088)
  %174 = ptrtoint ptr %173 to i64
  %175 = add i64 %174, 63
  %176 = urem i64 %175, 64
  %177 = sub i64 %175, %176
  %178 = inttoptr i64 %177 to ptr
  %179 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %173, 0
  %180 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %179, ptr %178, 1
  %181 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %180, i64 0, 2
  %182 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %181, i64 1, 3, 0
  %183 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %182, i64 16, 3, 1
  %184 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %183, i64 4, 3, 2
  %185 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %184, i64 4, 3, 3
  %186 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %185, i64 256, 4, 0
  %187 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %186, i64 16, 4, 1
  %188 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %187, i64 4, 4, 2
  %189 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %188, i64 1, 4, 3
  %190 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %189, 0
  %191 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %189, 1
  %192 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %190, 0
  %193 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %192, ptr %191, 1
  %194 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %193, i64 0, 2
  %195 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %194, i64 1, 3, 0
  %196 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %195, i64 256, 4, 0
  %197 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %196, i64 8, 3, 1
  %198 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %197, i64 16, 4, 1
  %199 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %198, i64 4, 3, 2
  %200 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %199, i64 4, 4, 2
  %201 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %200, i64 4, 3, 3
  %202 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %201, i64 1, 4, 3
  %203 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 3, 0
  %204 = mul i64 1, %203
  %205 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 3, 1
  %206 = mul i64 %204, %205
  %207 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 3, 2
  %208 = mul i64 %206, %207
  %209 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 3, 3
  %210 = mul i64 %208, %209
  %211 = mul i64 %210, 4
  %212 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %213 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 2
  %214 = getelementptr float, ptr %212, i64 %213
  %215 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %202, 1
  %216 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %202, 2
  %217 = getelementptr float, ptr %215, i64 %216
  call void @llvm.memcpy.p0.p0.i64(ptr %217, ptr %214, i64 %211, i1 false)
  %218 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %189, 0
  %219 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %189, 1
  %220 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %218, 0
  %221 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, ptr %219, 1
  %222 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %221, i64 128, 2
  %223 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %222, i64 1, 3, 0
  %224 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %223, i64 256, 4, 0
  %225 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %224, i64 8, 3, 1
  %226 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %225, i64 16, 4, 1
  %227 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %226, i64 4, 3, 2
  %228 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %227, i64 4, 4, 2
  %229 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %228, i64 4, 3, 3
  %230 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %229, i64 1, 4, 3
  %231 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 3, 0
  %232 = mul i64 1, %231
  %233 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 3, 1
  %234 = mul i64 %232, %233
  %235 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 3, 2
  %236 = mul i64 %234, %235
  %237 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 3, 3
  %238 = mul i64 %236, %237
  %239 = mul i64 %238, 4
  %240 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %241 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 2
  %242 = getelementptr float, ptr %240, i64 %241
  %243 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %230, 1
  %244 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %230, 2
  %245 = getelementptr float, ptr %243, i64 %244
  call void @llvm.memcpy.p0.p0.i64(ptr %245, ptr %242, i64 %239, i1 false)
  %246 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %189, 0
  %247 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %189, 1
  %248 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } poison, ptr %246, 0
  %249 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %248, ptr %247, 1
  %250 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %249, i64 68, 2
  %251 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %250, i64 8, 3, 0
  %252 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %251, i64 16, 4, 0
  %253 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %252, i64 2, 3, 1
  %254 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %253, i64 4, 4, 1
  %255 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %254, i64 4, 3, 2
  %256 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %255, i64 1, 4, 2
  %257 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %189, 1
  %258 = getelementptr inbounds nuw float, ptr %257, i64 45
  %259 = load float, ptr %258, align 4
  %260 = call ptr @malloc(i64 320)
  %261 = ptrtoint ptr %260 to i64
  %262 = add i64 %261, 63
  %263 = urem i64 %262, 64
  %264 = sub i64 %262, %263
  %265 = inttoptr i64 %264 to ptr
  %266 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } poison, ptr %260, 0
  %267 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %266, ptr %265, 1
  %268 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %267, i64 0, 2
  %269 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %268, i64 8, 3, 0
  %270 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %269, i64 2, 3, 1
  %271 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %270, i64 4, 3, 2
  %272 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %271, i64 8, 4, 0
  %273 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %272, i64 4, 4, 1
  %274 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %273, i64 1, 4, 2
  %275 = call ptr @llvm.stacksave.p0()
  %276 = alloca { ptr, ptr, i64, [3 x i64], [3 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [3 x i64], [3 x i64] } %256, ptr %276, align 8
  %277 = insertvalue { i64, ptr } { i64 3, ptr poison }, ptr %276, 1
  %278 = alloca { ptr, ptr, i64, [3 x i64], [3 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [3 x i64], [3 x i64] } %274, ptr %278, align 8
  %279 = insertvalue { i64, ptr } { i64 3, ptr poison }, ptr %278, 1
  %280 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %277, ptr %280, align 8
  %281 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %279, ptr %281, align 8
  call void @memrefCopy(i64 4, ptr %280, ptr %281)
  call void @llvm.stackrestore.p0(ptr %275)
  %282 = insertvalue { { ptr, ptr, i64, [3 x i64], [3 x i64] }, float } poison, { ptr, ptr, i64, [3 x i64], [3 x i64] } %274, 0
  %283 = insertvalue { { ptr, ptr, i64, [3 x i64], [3 x i64] }, float } %282, float %259, 1
  ret { { ptr, ptr, i64, [3 x i64], [3 x i64] }, float } %283
}

define void @_mlir_ciface_concat(ptr %0, ptr %1, ptr %2) {
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
  %28 = call { { ptr, ptr, i64, [3 x i64], [3 x i64] }, float } @concat(ptr %5, ptr %6, i64 %7, i64 %8, i64 %9, i64 %10, i64 %11, i64 %12, i64 %13, i64 %14, i64 %15, ptr %17, ptr %18, i64 %19, i64 %20, i64 %21, i64 %22, i64 %23, i64 %24, i64 %25, i64 %26, i64 %27)
  store { { ptr, ptr, i64, [3 x i64], [3 x i64] }, float } %28, ptr %0, align 8
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #0

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare ptr @llvm.stacksave.p0() #1

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.stackrestore.p0(ptr) #1

attributes #0 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #1 = { nocallback nofree nosync nounwind willreturn }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
