; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare ptr @malloc(i64)

define { ptr, ptr, i64, [2 x i64], [2 x i64] } @head(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10, ptr %11, ptr %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17, i64 %18, i64 %19, i64 %20, i64 %21, i64 %22, i64 %23, i64 %24) {
  %26 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %11, 0
  %27 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %26, ptr %12, 1
  %28 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %27, i64 %13, 2
  %29 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %28, i64 %14, 3, 0
  %30 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, i64 %18, 4, 0
  %31 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %30, i64 %15, 3, 1
  %32 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %31, i64 %19, 4, 1
  %33 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %32, i64 %16, 3, 2
  %34 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %33, i64 %20, 4, 2
  %35 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %34, i64 %17, 3, 3
  %36 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %35, i64 %21, 4, 3
  %37 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %0, 0
  %38 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %37, ptr %1, 1
  %39 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %38, i64 %2, 2
  %40 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %39, i64 %3, 3, 0
  %41 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %40, i64 %7, 4, 0
  %42 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %41, i64 %4, 3, 1
  %43 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %42, i64 %8, 4, 1
  %44 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %43, i64 %5, 3, 2
  %45 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, i64 %9, 4, 2
  %46 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %45, i64 %6, 3, 3
  %47 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %46, i64 %10, 4, 3
  %48 = call ptr @malloc(i64 160)
  %49 = ptrtoint ptr %48 to i64
  %50 = add i64 %49, 63
  %51 = urem i64 %50, 64
  %52 = sub i64 %50, %51
  %53 = inttoptr i64 %52 to ptr
  %54 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %48, 0
  %55 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %54, ptr %53, 1
  %56 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %55, i64 0, 2
  %57 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %56, i64 1, 3, 0
  %58 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %57, i64 1, 3, 1
  %59 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %58, i64 3, 3, 2
  %60 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %59, i64 8, 3, 3
  %61 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %60, i64 24, 4, 0
  %62 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, i64 24, 4, 1
  %63 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %62, i64 8, 4, 2
  %64 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %63, i64 1, 4, 3
  br label %65

65:                                               ; preds = %101, %25
  %66 = phi i64 [ %102, %101 ], [ 0, %25 ]
  %67 = icmp slt i64 %66, 1
  br i1 %67, label %68, label %103

68:                                               ; preds = %65
  br label %69

69:                                               ; preds = %99, %68
  %70 = phi i64 [ %100, %99 ], [ 0, %68 ]
  %71 = icmp slt i64 %70, 1
  br i1 %71, label %72, label %101

72:                                               ; preds = %69
  br label %73

73:                                               ; preds = %97, %72
  %74 = phi i64 [ %98, %97 ], [ 0, %72 ]
  %75 = icmp slt i64 %74, 3
  br i1 %75, label %76, label %99

76:                                               ; preds = %73
  br label %77

77:                                               ; preds = %80, %76
  %78 = phi i64 [ %96, %80 ], [ 0, %76 ]
  %79 = icmp slt i64 %78, 8
  br i1 %79, label %80, label %97

80:                                               ; preds = %77
  %81 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, 1
  %82 = mul nuw nsw i64 %78, 3
  %83 = add nuw nsw i64 %82, %74
  %84 = add nuw nsw i64 %83, %66
  %85 = add nuw nsw i64 %84, %70
  %86 = getelementptr inbounds nuw float, ptr %81, i64 %85
  %87 = load float, ptr %86, align 4
  %88 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %64, 1
  %89 = mul nuw nsw i64 %66, 24
  %90 = mul nuw nsw i64 %70, 24
  %91 = add nuw nsw i64 %89, %90
  %92 = mul nuw nsw i64 %74, 8
  %93 = add nuw nsw i64 %91, %92
  %94 = add nuw nsw i64 %93, %78
  %95 = getelementptr inbounds nuw float, ptr %88, i64 %94
  store float %87, ptr %95, align 4
  %96 = add i64 %78, 1
  br label %77

97:                                               ; preds = %77
  %98 = add i64 %74, 1
  br label %73

99:                                               ; preds = %73
  %100 = add i64 %70, 1
  br label %69

101:                                              ; preds = %69
  %102 = add i64 %66, 1
  br label %65

103:                                              ; preds = %65
  %104 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 3
  %105 = alloca [4 x i64], i64 1, align 8
  store [4 x i64] %104, ptr %105, align 4
  %106 = getelementptr [4 x i64], ptr %105, i32 0, i64 0
  %107 = load i64, ptr %106, align 4
  %108 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 3
  %109 = alloca [4 x i64], i64 1, align 8
  store [4 x i64] %108, ptr %109, align 4
  %110 = getelementptr [4 x i64], ptr %109, i32 0, i64 2
  %111 = load i64, ptr %110, align 4
  %112 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 3
  %113 = alloca [4 x i64], i64 1, align 8
  store [4 x i64] %112, ptr %113, align 4
  %114 = getelementptr [4 x i64], ptr %113, i32 0, i64 3
  %115 = load i64, ptr %114, align 4
  %116 = mul i64 3, %115
  %117 = mul i64 %116, %111
  %118 = mul i64 %117, %107
  %119 = getelementptr float, ptr null, i64 %118
  %120 = ptrtoint ptr %119 to i64
  %121 = add i64 %120, 64
  %122 = call ptr @malloc(i64 %121)
  %123 = ptrtoint ptr %122 to i64
  %124 = add i64 %123, 63
  %125 = urem i64 %124, 64
  %126 = sub i64 %124, %125
  %127 = inttoptr i64 %126 to ptr
  %128 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %122, 0
  %129 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %128, ptr %127, 1
  %130 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %129, i64 0, 2
  %131 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %130, i64 %107, 3, 0
  %132 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %131, i64 %111, 3, 1
  %133 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %132, i64 %115, 3, 2
  %134 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %133, i64 3, 3, 3
  %135 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %134, i64 %117, 4, 0
  %136 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %135, i64 %116, 4, 1
  %137 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %136, i64 3, 4, 2
  %138 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %137, i64 1, 4, 3
  %139 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 3
  %140 = alloca [4 x i64], i64 1, align 8
  store [4 x i64] %139, ptr %140, align 4
  %141 = getelementptr [4 x i64], ptr %140, i32 0, i64 0
  %142 = load i64, ptr %141, align 4
  %143 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 3
  %144 = alloca [4 x i64], i64 1, align 8
  store [4 x i64] %143, ptr %144, align 4
  %145 = getelementptr [4 x i64], ptr %144, i32 0, i64 2
  %146 = load i64, ptr %145, align 4
  %147 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 3
  %148 = alloca [4 x i64], i64 1, align 8
  store [4 x i64] %147, ptr %148, align 4
  %149 = getelementptr [4 x i64], ptr %148, i32 0, i64 3
  %150 = load i64, ptr %149, align 4
  br label %151

151:                                              ; preds = %194, %103
  %152 = phi i64 [ %195, %194 ], [ 0, %103 ]
  %153 = icmp slt i64 %152, %142
  br i1 %153, label %154, label %196

154:                                              ; preds = %151
  br label %155

155:                                              ; preds = %192, %154
  %156 = phi i64 [ %193, %192 ], [ 0, %154 ]
  %157 = icmp slt i64 %156, %146
  br i1 %157, label %158, label %194

158:                                              ; preds = %155
  br label %159

159:                                              ; preds = %190, %158
  %160 = phi i64 [ %191, %190 ], [ 0, %158 ]
  %161 = icmp slt i64 %160, %150
  br i1 %161, label %162, label %192

162:                                              ; preds = %159
  br label %163

163:                                              ; preds = %166, %162
  %164 = phi i64 [ %189, %166 ], [ 0, %162 ]
  %165 = icmp slt i64 %164, 3
  br i1 %165, label %166, label %190

166:                                              ; preds = %163
  %167 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 1
  %168 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 4, 0
  %169 = mul nuw nsw i64 %152, %168
  %170 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 4, 1
  %171 = mul nuw nsw i64 %164, %170
  %172 = add nuw nsw i64 %169, %171
  %173 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 4, 2
  %174 = mul nuw nsw i64 %156, %173
  %175 = add nuw nsw i64 %172, %174
  %176 = add nuw nsw i64 %175, %160
  %177 = getelementptr inbounds nuw float, ptr %167, i64 %176
  %178 = load float, ptr %177, align 4
  %179 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %138, 1
  %180 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %138, 4, 0
  %181 = mul nuw nsw i64 %152, %180
  %182 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %138, 4, 1
  %183 = mul nuw nsw i64 %156, %182
  %184 = add nuw nsw i64 %181, %183
  %185 = mul nuw nsw i64 %160, 3
  %186 = add nuw nsw i64 %184, %185
  %187 = add nuw nsw i64 %186, %164
  %188 = getelementptr inbounds nuw float, ptr %179, i64 %187
  store float %178, ptr %188, align 4
  %189 = add i64 %164, 1
  br label %163

190:                                              ; preds = %163
  %191 = add i64 %160, 1
  br label %159

192:                                              ; preds = %159
  %193 = add i64 %156, 1
  br label %155

194:                                              ; preds = %155
  %195 = add i64 %152, 1
  br label %151

196:                                              ; preds = %151
  %197 = mul i64 8, %23
  %198 = mul i64 %197, %23
  %199 = mul i64 %198, %22
  %200 = getelementptr float, ptr null, i64 %199
  %201 = ptrtoint ptr %200 to i64
  %202 = add i64 %201, 64
  %203 = call ptr @malloc(i64 %202)
  %204 = ptrtoint ptr %203 to i64
  %205 = add i64 %204, 63
  %206 = urem i64 %205, 64
  %207 = sub i64 %205, %206
  %208 = inttoptr i64 %207 to ptr
  %209 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %203, 0
  %210 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %209, ptr %208, 1
  %211 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %210, i64 0, 2
  %212 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %211, i64 %22, 3, 0
  %213 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %212, i64 %23, 3, 1
  %214 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %213, i64 %23, 3, 2
  %215 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %214, i64 8, 3, 3
  %216 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %215, i64 %198, 4, 0
  %217 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %216, i64 %197, 4, 1
  %218 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %217, i64 8, 4, 2
  %219 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %218, i64 1, 4, 3
  br label %220

220:                                              ; preds = %251, %196
  %221 = phi i64 [ %252, %251 ], [ 0, %196 ]
  %222 = icmp slt i64 %221, %22
  br i1 %222, label %223, label %253

223:                                              ; preds = %220
  br label %224

224:                                              ; preds = %249, %223
  %225 = phi i64 [ %250, %249 ], [ 0, %223 ]
  %226 = icmp slt i64 %225, %23
  br i1 %226, label %227, label %251

227:                                              ; preds = %224
  br label %228

228:                                              ; preds = %247, %227
  %229 = phi i64 [ %248, %247 ], [ 0, %227 ]
  %230 = icmp slt i64 %229, %23
  br i1 %230, label %231, label %249

231:                                              ; preds = %228
  br label %232

232:                                              ; preds = %235, %231
  %233 = phi i64 [ %246, %235 ], [ 0, %231 ]
  %234 = icmp slt i64 %233, 8
  br i1 %234, label %235, label %247

235:                                              ; preds = %232
  %236 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, 1
  %237 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, 4, 0
  %238 = mul nuw nsw i64 %221, %237
  %239 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, 4, 1
  %240 = mul nuw nsw i64 %225, %239
  %241 = add nuw nsw i64 %238, %240
  %242 = mul nuw nsw i64 %229, 8
  %243 = add nuw nsw i64 %241, %242
  %244 = add nuw nsw i64 %243, %233
  %245 = getelementptr inbounds nuw float, ptr %236, i64 %244
  store float 0.000000e+00, ptr %245, align 4
  %246 = add i64 %233, 1
  br label %232

247:                                              ; preds = %232
  %248 = add i64 %229, 1
  br label %228

249:                                              ; preds = %228
  %250 = add i64 %225, 1
  br label %224

251:                                              ; preds = %224
  %252 = add i64 %221, 1
  br label %220

253:                                              ; preds = %220
  br label %254

254:                                              ; preds = %338, %253
  %255 = phi i64 [ %339, %338 ], [ 0, %253 ]
  %256 = icmp slt i64 %255, %107
  br i1 %256, label %257, label %340

257:                                              ; preds = %254
  br label %258

258:                                              ; preds = %336, %257
  %259 = phi i64 [ %337, %336 ], [ 0, %257 ]
  %260 = icmp slt i64 %259, %23
  br i1 %260, label %261, label %338

261:                                              ; preds = %258
  br label %262

262:                                              ; preds = %334, %261
  %263 = phi i64 [ %335, %334 ], [ 0, %261 ]
  %264 = icmp slt i64 %263, %23
  br i1 %264, label %265, label %336

265:                                              ; preds = %262
  br label %266

266:                                              ; preds = %332, %265
  %267 = phi i64 [ %333, %332 ], [ 0, %265 ]
  %268 = icmp slt i64 %267, 8
  br i1 %268, label %269, label %334

269:                                              ; preds = %266
  br label %270

270:                                              ; preds = %330, %269
  %271 = phi i64 [ %331, %330 ], [ 0, %269 ]
  %272 = icmp slt i64 %271, 1
  br i1 %272, label %273, label %332

273:                                              ; preds = %270
  br label %274

274:                                              ; preds = %328, %273
  %275 = phi i64 [ %329, %328 ], [ 0, %273 ]
  %276 = icmp slt i64 %275, 1
  br i1 %276, label %277, label %330

277:                                              ; preds = %274
  br label %278

278:                                              ; preds = %281, %277
  %279 = phi i64 [ %327, %281 ], [ 0, %277 ]
  %280 = icmp slt i64 %279, 3
  br i1 %280, label %281, label %328

281:                                              ; preds = %278
  %282 = add i64 %259, %271
  %283 = add i64 %263, %275
  %284 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %138, 1
  %285 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %138, 4, 0
  %286 = mul nuw nsw i64 %255, %285
  %287 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %138, 4, 1
  %288 = mul nuw nsw i64 %282, %287
  %289 = add nuw nsw i64 %286, %288
  %290 = mul nuw nsw i64 %283, 3
  %291 = add nuw nsw i64 %289, %290
  %292 = add nuw nsw i64 %291, %279
  %293 = getelementptr inbounds nuw float, ptr %284, i64 %292
  %294 = load float, ptr %293, align 4
  %295 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %64, 1
  %296 = mul nuw nsw i64 %271, 24
  %297 = mul nuw nsw i64 %275, 24
  %298 = add nuw nsw i64 %296, %297
  %299 = mul nuw nsw i64 %279, 8
  %300 = add nuw nsw i64 %298, %299
  %301 = add nuw nsw i64 %300, %267
  %302 = getelementptr inbounds nuw float, ptr %295, i64 %301
  %303 = load float, ptr %302, align 4
  %304 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, 1
  %305 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, 4, 0
  %306 = mul nuw nsw i64 %255, %305
  %307 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, 4, 1
  %308 = mul nuw nsw i64 %259, %307
  %309 = add nuw nsw i64 %306, %308
  %310 = mul nuw nsw i64 %263, 8
  %311 = add nuw nsw i64 %309, %310
  %312 = add nuw nsw i64 %311, %267
  %313 = getelementptr inbounds nuw float, ptr %304, i64 %312
  %314 = load float, ptr %313, align 4
  %315 = fmul float %294, %303
  %316 = fadd float %314, %315
  %317 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, 1
  %318 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, 4, 0
  %319 = mul nuw nsw i64 %255, %318
  %320 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, 4, 1
  %321 = mul nuw nsw i64 %259, %320
  %322 = add nuw nsw i64 %319, %321
  %323 = mul nuw nsw i64 %263, 8
  %324 = add nuw nsw i64 %322, %323
  %325 = add nuw nsw i64 %324, %267
  %326 = getelementptr inbounds nuw float, ptr %317, i64 %325
  store float %316, ptr %326, align 4
  %327 = add i64 %279, 1
  br label %278

328:                                              ; preds = %278
  %329 = add i64 %275, 1
  br label %274

330:                                              ; preds = %274
  %331 = add i64 %271, 1
  br label %270

332:                                              ; preds = %270
  %333 = add i64 %267, 1
  br label %266

334:                                              ; preds = %266
  %335 = add i64 %263, 1
  br label %262

336:                                              ; preds = %262
  %337 = add i64 %259, 1
  br label %258

338:                                              ; preds = %258
  %339 = add i64 %255, 1
  br label %254

340:                                              ; preds = %254
  %341 = mul i64 8, %24
  %342 = mul i64 %341, %24
  %343 = mul i64 %342, %22
  %344 = getelementptr float, ptr null, i64 %343
  %345 = ptrtoint ptr %344 to i64
  %346 = add i64 %345, 64
  %347 = call ptr @malloc(i64 %346)
  %348 = ptrtoint ptr %347 to i64
  %349 = add i64 %348, 63
  %350 = urem i64 %349, 64
  %351 = sub i64 %349, %350
  %352 = inttoptr i64 %351 to ptr
  %353 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %347, 0
  %354 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %353, ptr %352, 1
  %355 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %354, i64 0, 2
  %356 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %355, i64 %22, 3, 0
  %357 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %356, i64 %24, 3, 1
  %358 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %357, i64 %24, 3, 2
  %359 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %358, i64 8, 3, 3
  %360 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %359, i64 %342, 4, 0
  %361 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %360, i64 %341, 4, 1
  %362 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %361, i64 8, 4, 2
  %363 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %362, i64 1, 4, 3
  br label %364

364:                                              ; preds = %395, %340
  %365 = phi i64 [ %396, %395 ], [ 0, %340 ]
  %366 = icmp slt i64 %365, %22
  br i1 %366, label %367, label %397

367:                                              ; preds = %364
  br label %368

368:                                              ; preds = %393, %367
  %369 = phi i64 [ %394, %393 ], [ 0, %367 ]
  %370 = icmp slt i64 %369, %24
  br i1 %370, label %371, label %395

371:                                              ; preds = %368
  br label %372

372:                                              ; preds = %391, %371
  %373 = phi i64 [ %392, %391 ], [ 0, %371 ]
  %374 = icmp slt i64 %373, %24
  br i1 %374, label %375, label %393

375:                                              ; preds = %372
  br label %376

376:                                              ; preds = %379, %375
  %377 = phi i64 [ %390, %379 ], [ 0, %375 ]
  %378 = icmp slt i64 %377, 8
  br i1 %378, label %379, label %391

379:                                              ; preds = %376
  %380 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %363, 1
  %381 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %363, 4, 0
  %382 = mul nuw nsw i64 %365, %381
  %383 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %363, 4, 1
  %384 = mul nuw nsw i64 %369, %383
  %385 = add nuw nsw i64 %382, %384
  %386 = mul nuw nsw i64 %373, 8
  %387 = add nuw nsw i64 %385, %386
  %388 = add nuw nsw i64 %387, %377
  %389 = getelementptr inbounds nuw float, ptr %380, i64 %388
  store float 0.000000e+00, ptr %389, align 4
  %390 = add i64 %377, 1
  br label %376

391:                                              ; preds = %376
  %392 = add i64 %373, 1
  br label %372

393:                                              ; preds = %372
  %394 = add i64 %369, 1
  br label %368

395:                                              ; preds = %368
  %396 = add i64 %365, 1
  br label %364

397:                                              ; preds = %364
  br label %398

398:                                              ; preds = %468, %397
  %399 = phi i64 [ %469, %468 ], [ 0, %397 ]
  %400 = icmp slt i64 %399, %22
  br i1 %400, label %401, label %470

401:                                              ; preds = %398
  br label %402

402:                                              ; preds = %466, %401
  %403 = phi i64 [ %467, %466 ], [ 0, %401 ]
  %404 = icmp slt i64 %403, %24
  br i1 %404, label %405, label %468

405:                                              ; preds = %402
  br label %406

406:                                              ; preds = %464, %405
  %407 = phi i64 [ %465, %464 ], [ 0, %405 ]
  %408 = icmp slt i64 %407, %24
  br i1 %408, label %409, label %466

409:                                              ; preds = %406
  br label %410

410:                                              ; preds = %462, %409
  %411 = phi i64 [ %463, %462 ], [ 0, %409 ]
  %412 = icmp slt i64 %411, 8
  br i1 %412, label %413, label %464

413:                                              ; preds = %410
  br label %414

414:                                              ; preds = %460, %413
  %415 = phi i64 [ %461, %460 ], [ 0, %413 ]
  %416 = icmp slt i64 %415, 3
  br i1 %416, label %417, label %462

417:                                              ; preds = %414
  br label %418

418:                                              ; preds = %421, %417
  %419 = phi i64 [ %459, %421 ], [ 0, %417 ]
  %420 = icmp slt i64 %419, 3
  br i1 %420, label %421, label %460

421:                                              ; preds = %418
  %422 = mul nsw i64 %403, 2
  %423 = add i64 %422, %415
  %424 = mul nsw i64 %407, 2
  %425 = add i64 %424, %419
  %426 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, 1
  %427 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, 4, 0
  %428 = mul nuw nsw i64 %399, %427
  %429 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, 4, 1
  %430 = mul nuw nsw i64 %423, %429
  %431 = add nuw nsw i64 %428, %430
  %432 = mul nuw nsw i64 %425, 8
  %433 = add nuw nsw i64 %431, %432
  %434 = add nuw nsw i64 %433, %411
  %435 = getelementptr inbounds nuw float, ptr %426, i64 %434
  %436 = load float, ptr %435, align 4
  %437 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %363, 1
  %438 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %363, 4, 0
  %439 = mul nuw nsw i64 %399, %438
  %440 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %363, 4, 1
  %441 = mul nuw nsw i64 %403, %440
  %442 = add nuw nsw i64 %439, %441
  %443 = mul nuw nsw i64 %407, 8
  %444 = add nuw nsw i64 %442, %443
  %445 = add nuw nsw i64 %444, %411
  %446 = getelementptr inbounds nuw float, ptr %437, i64 %445
  %447 = load float, ptr %446, align 4
  %448 = call float @llvm.maximum.f32(float %447, float %436)
  %449 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %363, 1
  %450 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %363, 4, 0
  %451 = mul nuw nsw i64 %399, %450
  %452 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %363, 4, 1
  %453 = mul nuw nsw i64 %403, %452
  %454 = add nuw nsw i64 %451, %453
  %455 = mul nuw nsw i64 %407, 8
  %456 = add nuw nsw i64 %454, %455
  %457 = add nuw nsw i64 %456, %411
  %458 = getelementptr inbounds nuw float, ptr %449, i64 %457
  store float %448, ptr %458, align 4
  %459 = add i64 %419, 1
  br label %418

460:                                              ; preds = %418
  %461 = add i64 %415, 1
  br label %414

462:                                              ; preds = %414
  %463 = add i64 %411, 1
  br label %410

464:                                              ; preds = %410
  %465 = add i64 %407, 1
  br label %406

466:                                              ; preds = %406
  %467 = add i64 %403, 1
  br label %402

468:                                              ; preds = %402
  %469 = add i64 %399, 1
  br label %398

470:                                              ; preds = %398
  %471 = mul i64 8, %22
  %472 = getelementptr float, ptr null, i64 %471
  %473 = ptrtoint ptr %472 to i64
  %474 = add i64 %473, 64
  %475 = call ptr @malloc(i64 %474)
  %476 = ptrtoint ptr %475 to i64
  %477 = add i64 %476, 63
  %478 = urem i64 %477, 64
  %479 = sub i64 %477, %478
  %480 = inttoptr i64 %479 to ptr
  %481 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } poison, ptr %475, 0
  %482 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %481, ptr %480, 1
  %483 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %482, i64 0, 2
  %484 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %483, i64 %22, 3, 0
  %485 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %484, i64 8, 3, 1
  %486 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %485, i64 8, 4, 0
  %487 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %486, i64 1, 4, 1
  br label %488

488:                                              ; preds = %501, %470
  %489 = phi i64 [ %502, %501 ], [ 0, %470 ]
  %490 = icmp slt i64 %489, %22
  br i1 %490, label %491, label %503

491:                                              ; preds = %488
  br label %492

492:                                              ; preds = %495, %491
  %493 = phi i64 [ %500, %495 ], [ 0, %491 ]
  %494 = icmp slt i64 %493, 8
  br i1 %494, label %495, label %501

495:                                              ; preds = %492
  %496 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %487, 1
  %497 = mul nuw nsw i64 %489, 8
  %498 = add nuw nsw i64 %497, %493
  %499 = getelementptr inbounds nuw float, ptr %496, i64 %498
  store float 0.000000e+00, ptr %499, align 4
  %500 = add i64 %493, 1
  br label %492

501:                                              ; preds = %492
  %502 = add i64 %489, 1
  br label %488

503:                                              ; preds = %488
  br label %504

504:                                              ; preds = %546, %503
  %505 = phi i64 [ %547, %546 ], [ 0, %503 ]
  %506 = icmp slt i64 %505, %22
  br i1 %506, label %507, label %548

507:                                              ; preds = %504
  br label %508

508:                                              ; preds = %544, %507
  %509 = phi i64 [ %545, %544 ], [ 0, %507 ]
  %510 = icmp slt i64 %509, 8
  br i1 %510, label %511, label %546

511:                                              ; preds = %508
  br label %512

512:                                              ; preds = %542, %511
  %513 = phi i64 [ %543, %542 ], [ 0, %511 ]
  %514 = icmp slt i64 %513, %24
  br i1 %514, label %515, label %544

515:                                              ; preds = %512
  br label %516

516:                                              ; preds = %519, %515
  %517 = phi i64 [ %541, %519 ], [ 0, %515 ]
  %518 = icmp slt i64 %517, %24
  br i1 %518, label %519, label %542

519:                                              ; preds = %516
  %520 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %363, 1
  %521 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %363, 4, 0
  %522 = mul nuw nsw i64 %505, %521
  %523 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %363, 4, 1
  %524 = mul nuw nsw i64 %513, %523
  %525 = add nuw nsw i64 %522, %524
  %526 = mul nuw nsw i64 %517, 8
  %527 = add nuw nsw i64 %525, %526
  %528 = add nuw nsw i64 %527, %509
  %529 = getelementptr inbounds nuw float, ptr %520, i64 %528
  %530 = load float, ptr %529, align 4
  %531 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %487, 1
  %532 = mul nuw nsw i64 %505, 8
  %533 = add nuw nsw i64 %532, %509
  %534 = getelementptr inbounds nuw float, ptr %531, i64 %533
  %535 = load float, ptr %534, align 4
  %536 = fadd float %530, %535
  %537 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %487, 1
  %538 = mul nuw nsw i64 %505, 8
  %539 = add nuw nsw i64 %538, %509
  %540 = getelementptr inbounds nuw float, ptr %537, i64 %539
  store float %536, ptr %540, align 4
  %541 = add i64 %517, 1
  br label %516

542:                                              ; preds = %516
  %543 = add i64 %513, 1
  br label %512

544:                                              ; preds = %512
  %545 = add i64 %509, 1
  br label %508

546:                                              ; preds = %508
  %547 = add i64 %505, 1
  br label %504

548:                                              ; preds = %504
  ret { ptr, ptr, i64, [2 x i64], [2 x i64] } %487
}

define void @_mlir_ciface_head(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4, i64 %5) {
  %7 = load { ptr, ptr, i64, [4 x i64], [4 x i64] }, ptr %1, align 8
  %8 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %7, 0
  %9 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %7, 1
  %10 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %7, 2
  %11 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %7, 3, 0
  %12 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %7, 3, 1
  %13 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %7, 3, 2
  %14 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %7, 3, 3
  %15 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %7, 4, 0
  %16 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %7, 4, 1
  %17 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %7, 4, 2
  %18 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %7, 4, 3
  %19 = load { ptr, ptr, i64, [4 x i64], [4 x i64] }, ptr %2, align 8
  %20 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %19, 0
  %21 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %19, 1
  %22 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %19, 2
  %23 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %19, 3, 0
  %24 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %19, 3, 1
  %25 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %19, 3, 2
  %26 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %19, 3, 3
  %27 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %19, 4, 0
  %28 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %19, 4, 1
  %29 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %19, 4, 2
  %30 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %19, 4, 3
  %31 = call { ptr, ptr, i64, [2 x i64], [2 x i64] } @head(ptr %8, ptr %9, i64 %10, i64 %11, i64 %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17, i64 %18, ptr %20, ptr %21, i64 %22, i64 %23, i64 %24, i64 %25, i64 %26, i64 %27, i64 %28, i64 %29, i64 %30, i64 %3, i64 %4, i64 %5)
  store { ptr, ptr, i64, [2 x i64], [2 x i64] } %31, ptr %0, align 8
  ret void
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maximum.f32(float, float) #0

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
