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
  %45 = call ptr @malloc(i64 448)
  %46 = ptrtoint ptr %45 to i64
  %47 = add i64 %46, 63
  %48 = urem i64 %47, 64
  %49 = sub i64 %47, %48
  %50 = inttoptr i64 %49 to ptr
  %51 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %45, 0
  %52 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %51, ptr %50, 1
  %53 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %52, i64 0, 2
  %54 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %53, i64 2, 3, 0
  %55 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %54, i64 2, 3, 1
  %56 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %55, i64 3, 3, 2
  %57 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %56, i64 8, 3, 3
  %58 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %57, i64 48, 4, 0
  %59 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %58, i64 24, 4, 1
  %60 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %59, i64 8, 4, 2
  %61 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %60, i64 1, 4, 3
  br label %62

62:                                               ; preds = %100, %22
  %63 = phi i64 [ %101, %100 ], [ 0, %22 ]
  %64 = icmp slt i64 %63, 2
  br i1 %64, label %65, label %102

65:                                               ; preds = %62
  br label %66

66:                                               ; preds = %98, %65
  %67 = phi i64 [ %99, %98 ], [ 0, %65 ]
  %68 = icmp slt i64 %67, 2
  br i1 %68, label %69, label %100

69:                                               ; preds = %66
  br label %70

70:                                               ; preds = %96, %69
  %71 = phi i64 [ %97, %96 ], [ 0, %69 ]
  %72 = icmp slt i64 %71, 3
  br i1 %72, label %73, label %98

73:                                               ; preds = %70
  br label %74

74:                                               ; preds = %77, %73
  %75 = phi i64 [ %95, %77 ], [ 0, %73 ]
  %76 = icmp slt i64 %75, 8
  br i1 %76, label %77, label %96

77:                                               ; preds = %74
  %78 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %33, 1
  %79 = mul nuw nsw i64 %75, 12
  %80 = mul nuw nsw i64 %71, 4
  %81 = add nuw nsw i64 %79, %80
  %82 = mul nuw nsw i64 %63, 2
  %83 = add nuw nsw i64 %81, %82
  %84 = add nuw nsw i64 %83, %67
  %85 = getelementptr inbounds nuw float, ptr %78, i64 %84
  %86 = load float, ptr %85, align 4
  %87 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %88 = mul nuw nsw i64 %63, 48
  %89 = mul nuw nsw i64 %67, 24
  %90 = add nuw nsw i64 %88, %89
  %91 = mul nuw nsw i64 %71, 8
  %92 = add nuw nsw i64 %90, %91
  %93 = add nuw nsw i64 %92, %75
  %94 = getelementptr inbounds nuw float, ptr %87, i64 %93
  store float %86, ptr %94, align 4
  %95 = add i64 %75, 1
  br label %74

96:                                               ; preds = %74
  %97 = add i64 %71, 1
  br label %70

98:                                               ; preds = %70
  %99 = add i64 %67, 1
  br label %66

100:                                              ; preds = %66
  %101 = add i64 %63, 1
  br label %62

102:                                              ; preds = %62
  %103 = call ptr @malloc(i64 1600)
  %104 = ptrtoint ptr %103 to i64
  %105 = add i64 %104, 63
  %106 = urem i64 %105, 64
  %107 = sub i64 %105, %106
  %108 = inttoptr i64 %107 to ptr
  %109 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %103, 0
  %110 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %109, ptr %108, 1
  %111 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %110, i64 0, 2
  %112 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %111, i64 2, 3, 0
  %113 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %112, i64 8, 3, 1
  %114 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %113, i64 8, 3, 2
  %115 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %114, i64 3, 3, 3
  %116 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %115, i64 192, 4, 0
  %117 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %116, i64 24, 4, 1
  %118 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %117, i64 3, 4, 2
  %119 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %118, i64 1, 4, 3
  br label %120

120:                                              ; preds = %158, %102
  %121 = phi i64 [ %159, %158 ], [ 0, %102 ]
  %122 = icmp slt i64 %121, 2
  br i1 %122, label %123, label %160

123:                                              ; preds = %120
  br label %124

124:                                              ; preds = %156, %123
  %125 = phi i64 [ %157, %156 ], [ 0, %123 ]
  %126 = icmp slt i64 %125, 8
  br i1 %126, label %127, label %158

127:                                              ; preds = %124
  br label %128

128:                                              ; preds = %154, %127
  %129 = phi i64 [ %155, %154 ], [ 0, %127 ]
  %130 = icmp slt i64 %129, 8
  br i1 %130, label %131, label %156

131:                                              ; preds = %128
  br label %132

132:                                              ; preds = %135, %131
  %133 = phi i64 [ %153, %135 ], [ 0, %131 ]
  %134 = icmp slt i64 %133, 3
  br i1 %134, label %135, label %154

135:                                              ; preds = %132
  %136 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 1
  %137 = mul nuw nsw i64 %121, 192
  %138 = mul nuw nsw i64 %133, 64
  %139 = add nuw nsw i64 %137, %138
  %140 = mul nuw nsw i64 %125, 8
  %141 = add nuw nsw i64 %139, %140
  %142 = add nuw nsw i64 %141, %129
  %143 = getelementptr inbounds nuw float, ptr %136, i64 %142
  %144 = load float, ptr %143, align 4
  %145 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %119, 1
  %146 = mul nuw nsw i64 %121, 192
  %147 = mul nuw nsw i64 %125, 24
  %148 = add nuw nsw i64 %146, %147
  %149 = mul nuw nsw i64 %129, 3
  %150 = add nuw nsw i64 %148, %149
  %151 = add nuw nsw i64 %150, %133
  %152 = getelementptr inbounds nuw float, ptr %145, i64 %151
  store float %144, ptr %152, align 4
  %153 = add i64 %133, 1
  br label %132

154:                                              ; preds = %132
  %155 = add i64 %129, 1
  br label %128

156:                                              ; preds = %128
  %157 = add i64 %125, 1
  br label %124

158:                                              ; preds = %124
  %159 = add i64 %121, 1
  br label %120

160:                                              ; preds = %120
  %161 = call ptr @malloc(i64 1088)
  %162 = ptrtoint ptr %161 to i64
  %163 = add i64 %162, 63
  %164 = urem i64 %163, 64
  %165 = sub i64 %163, %164
  %166 = inttoptr i64 %165 to ptr
  %167 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %161, 0
  %168 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %167, ptr %166, 1
  %169 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %168, i64 0, 2
  %170 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %169, i64 2, 3, 0
  %171 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %170, i64 4, 3, 1
  %172 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %171, i64 4, 3, 2
  %173 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %172, i64 8, 3, 3
  %174 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %173, i64 128, 4, 0
  %175 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %174, i64 32, 4, 1
  %176 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %175, i64 8, 4, 2
  %177 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %176, i64 1, 4, 3
  br label %178

178:                                              ; preds = %207, %160
  %179 = phi i64 [ %208, %207 ], [ 0, %160 ]
  %180 = icmp slt i64 %179, 2
  br i1 %180, label %181, label %209

181:                                              ; preds = %178
  br label %182

182:                                              ; preds = %205, %181
  %183 = phi i64 [ %206, %205 ], [ 0, %181 ]
  %184 = icmp slt i64 %183, 4
  br i1 %184, label %185, label %207

185:                                              ; preds = %182
  br label %186

186:                                              ; preds = %203, %185
  %187 = phi i64 [ %204, %203 ], [ 0, %185 ]
  %188 = icmp slt i64 %187, 4
  br i1 %188, label %189, label %205

189:                                              ; preds = %186
  br label %190

190:                                              ; preds = %193, %189
  %191 = phi i64 [ %202, %193 ], [ 0, %189 ]
  %192 = icmp slt i64 %191, 8
  br i1 %192, label %193, label %203

193:                                              ; preds = %190
  %194 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %177, 1
  %195 = mul nuw nsw i64 %179, 128
  %196 = mul nuw nsw i64 %183, 32
  %197 = add nuw nsw i64 %195, %196
  %198 = mul nuw nsw i64 %187, 8
  %199 = add nuw nsw i64 %197, %198
  %200 = add nuw nsw i64 %199, %191
  %201 = getelementptr inbounds nuw float, ptr %194, i64 %200
  store float 0.000000e+00, ptr %201, align 4
  %202 = add i64 %191, 1
  br label %190

203:                                              ; preds = %190
  %204 = add i64 %187, 1
  br label %186

205:                                              ; preds = %186
  %206 = add i64 %183, 1
  br label %182

207:                                              ; preds = %182
  %208 = add i64 %179, 1
  br label %178

209:                                              ; preds = %178
  br label %210

210:                                              ; preds = %290, %209
  %211 = phi i64 [ %291, %290 ], [ 0, %209 ]
  %212 = icmp slt i64 %211, 2
  br i1 %212, label %213, label %292

213:                                              ; preds = %210
  br label %214

214:                                              ; preds = %288, %213
  %215 = phi i64 [ %289, %288 ], [ 0, %213 ]
  %216 = icmp slt i64 %215, 4
  br i1 %216, label %217, label %290

217:                                              ; preds = %214
  br label %218

218:                                              ; preds = %286, %217
  %219 = phi i64 [ %287, %286 ], [ 0, %217 ]
  %220 = icmp slt i64 %219, 4
  br i1 %220, label %221, label %288

221:                                              ; preds = %218
  br label %222

222:                                              ; preds = %284, %221
  %223 = phi i64 [ %285, %284 ], [ 0, %221 ]
  %224 = icmp slt i64 %223, 8
  br i1 %224, label %225, label %286

225:                                              ; preds = %222
  br label %226

226:                                              ; preds = %282, %225
  %227 = phi i64 [ %283, %282 ], [ 0, %225 ]
  %228 = icmp slt i64 %227, 2
  br i1 %228, label %229, label %284

229:                                              ; preds = %226
  br label %230

230:                                              ; preds = %280, %229
  %231 = phi i64 [ %281, %280 ], [ 0, %229 ]
  %232 = icmp slt i64 %231, 2
  br i1 %232, label %233, label %282

233:                                              ; preds = %230
  br label %234

234:                                              ; preds = %237, %233
  %235 = phi i64 [ %279, %237 ], [ 0, %233 ]
  %236 = icmp slt i64 %235, 3
  br i1 %236, label %237, label %280

237:                                              ; preds = %234
  %238 = mul nsw i64 %215, 2
  %239 = add i64 %238, %227
  %240 = mul nsw i64 %219, 2
  %241 = add i64 %240, %231
  %242 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %119, 1
  %243 = mul nuw nsw i64 %211, 192
  %244 = mul nuw nsw i64 %239, 24
  %245 = add nuw nsw i64 %243, %244
  %246 = mul nuw nsw i64 %241, 3
  %247 = add nuw nsw i64 %245, %246
  %248 = add nuw nsw i64 %247, %235
  %249 = getelementptr inbounds nuw float, ptr %242, i64 %248
  %250 = load float, ptr %249, align 4
  %251 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %252 = mul nuw nsw i64 %227, 48
  %253 = mul nuw nsw i64 %231, 24
  %254 = add nuw nsw i64 %252, %253
  %255 = mul nuw nsw i64 %235, 8
  %256 = add nuw nsw i64 %254, %255
  %257 = add nuw nsw i64 %256, %223
  %258 = getelementptr inbounds nuw float, ptr %251, i64 %257
  %259 = load float, ptr %258, align 4
  %260 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %177, 1
  %261 = mul nuw nsw i64 %211, 128
  %262 = mul nuw nsw i64 %215, 32
  %263 = add nuw nsw i64 %261, %262
  %264 = mul nuw nsw i64 %219, 8
  %265 = add nuw nsw i64 %263, %264
  %266 = add nuw nsw i64 %265, %223
  %267 = getelementptr inbounds nuw float, ptr %260, i64 %266
  %268 = load float, ptr %267, align 4
  %269 = fmul float %250, %259
  %270 = fadd float %268, %269
  %271 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %177, 1
  %272 = mul nuw nsw i64 %211, 128
  %273 = mul nuw nsw i64 %215, 32
  %274 = add nuw nsw i64 %272, %273
  %275 = mul nuw nsw i64 %219, 8
  %276 = add nuw nsw i64 %274, %275
  %277 = add nuw nsw i64 %276, %223
  %278 = getelementptr inbounds nuw float, ptr %271, i64 %277
  store float %270, ptr %278, align 4
  %279 = add i64 %235, 1
  br label %234

280:                                              ; preds = %234
  %281 = add i64 %231, 1
  br label %230

282:                                              ; preds = %230
  %283 = add i64 %227, 1
  br label %226

284:                                              ; preds = %226
  %285 = add i64 %223, 1
  br label %222

286:                                              ; preds = %222
  %287 = add i64 %219, 1
  br label %218

288:                                              ; preds = %218
  %289 = add i64 %215, 1
  br label %214

290:                                              ; preds = %214
  %291 = add i64 %211, 1
  br label %210

292:                                              ; preds = %210
  %293 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %177, 0
  %294 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %177, 1
  %295 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } poison, ptr %293, 0
  %296 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %295, ptr %294, 1
  %297 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %296, i64 0, 2
  %298 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %297, i64 2, 3, 0
  %299 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %298, i64 128, 4, 0
  %300 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %299, i64 16, 3, 1
  %301 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %300, i64 8, 4, 1
  %302 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %301, i64 8, 3, 2
  %303 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %302, i64 1, 4, 2
  ret { ptr, ptr, i64, [3 x i64], [3 x i64] } %303
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
