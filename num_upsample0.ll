; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare ptr @malloc(i64)

define { ptr, ptr, i64, [4 x i64], [4 x i64] } @upsample(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10, ptr %11, ptr %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17, i64 %18, i64 %19, i64 %20, i64 %21, ptr %22, ptr %23, i64 %24, i64 %25, i64 %26, i64 %27, i64 %28, i64 %29, i64 %30, i64 %31, i64 %32) {
  %34 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %22, 0
  %35 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %34, ptr %23, 1
  %36 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %35, i64 %24, 2
  %37 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, i64 %25, 3, 0
  %38 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %37, i64 %29, 4, 0
  %39 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %38, i64 %26, 3, 1
  %40 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %39, i64 %30, 4, 1
  %41 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %40, i64 %27, 3, 2
  %42 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %41, i64 %31, 4, 2
  %43 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %42, i64 %28, 3, 3
  %44 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %43, i64 %32, 4, 3
  %45 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %11, 0
  %46 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %45, ptr %12, 1
  %47 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %46, i64 %13, 2
  %48 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, i64 %14, 3, 0
  %49 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %48, i64 %18, 4, 0
  %50 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %49, i64 %15, 3, 1
  %51 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %50, i64 %19, 4, 1
  %52 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %51, i64 %16, 3, 2
  %53 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %52, i64 %20, 4, 2
  %54 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %53, i64 %17, 3, 3
  %55 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %54, i64 %21, 4, 3
  %56 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %0, 0
  %57 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %56, ptr %1, 1
  %58 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %57, i64 %2, 2
  %59 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %58, i64 %3, 3, 0
  %60 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %59, i64 %7, 4, 0
  %61 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %60, i64 %4, 3, 1
  %62 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, i64 %8, 4, 1
  %63 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %62, i64 %5, 3, 2
  %64 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %63, i64 %9, 4, 2
  %65 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %64, i64 %6, 3, 3
  %66 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %65, i64 %10, 4, 3
  %67 = call ptr @malloc(i64 576)
  %68 = ptrtoint ptr %67 to i64
  %69 = add i64 %68, 63
  %70 = urem i64 %69, 64
  %71 = sub i64 %69, %70
  %72 = inttoptr i64 %71 to ptr
  %73 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %67, 0
  %74 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %73, ptr %72, 1
  %75 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %74, i64 0, 2
  %76 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %75, i64 1, 3, 0
  %77 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %76, i64 8, 3, 1
  %78 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %77, i64 4, 3, 2
  %79 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %78, i64 4, 3, 3
  %80 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %79, i64 128, 4, 0
  %81 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %80, i64 16, 4, 1
  %82 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %81, i64 4, 4, 2
  %83 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %82, i64 1, 4, 3
  br label %84

84:                                               ; preds = %113, %33
  %85 = phi i64 [ %114, %113 ], [ 0, %33 ]
  %86 = icmp slt i64 %85, 1
  br i1 %86, label %87, label %115

87:                                               ; preds = %84
  br label %88

88:                                               ; preds = %111, %87
  %89 = phi i64 [ %112, %111 ], [ 0, %87 ]
  %90 = icmp slt i64 %89, 8
  br i1 %90, label %91, label %113

91:                                               ; preds = %88
  br label %92

92:                                               ; preds = %109, %91
  %93 = phi i64 [ %110, %109 ], [ 0, %91 ]
  %94 = icmp slt i64 %93, 4
  br i1 %94, label %95, label %111

95:                                               ; preds = %92
  br label %96

96:                                               ; preds = %99, %95
  %97 = phi i64 [ %108, %99 ], [ 0, %95 ]
  %98 = icmp slt i64 %97, 4
  br i1 %98, label %99, label %109

99:                                               ; preds = %96
  %100 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %83, 1
  %101 = mul nuw nsw i64 %85, 128
  %102 = mul nuw nsw i64 %89, 16
  %103 = add nuw nsw i64 %101, %102
  %104 = mul nuw nsw i64 %93, 4
  %105 = add nuw nsw i64 %103, %104
  %106 = add nuw nsw i64 %105, %97
  %107 = getelementptr inbounds nuw float, ptr %100, i64 %106
  store float 0.000000e+00, ptr %107, align 4
  %108 = add i64 %97, 1
  br label %96

109:                                              ; preds = %96
  %110 = add i64 %93, 1
  br label %92

111:                                              ; preds = %92
  %112 = add i64 %89, 1
  br label %88

113:                                              ; preds = %88
  %114 = add i64 %85, 1
  br label %84

115:                                              ; preds = %84
  br label %116

116:                                              ; preds = %192, %115
  %117 = phi i64 [ %193, %192 ], [ 0, %115 ]
  %118 = icmp slt i64 %117, 1
  br i1 %118, label %119, label %194

119:                                              ; preds = %116
  br label %120

120:                                              ; preds = %190, %119
  %121 = phi i64 [ %191, %190 ], [ 0, %119 ]
  %122 = icmp slt i64 %121, 8
  br i1 %122, label %123, label %192

123:                                              ; preds = %120
  br label %124

124:                                              ; preds = %188, %123
  %125 = phi i64 [ %189, %188 ], [ 0, %123 ]
  %126 = icmp slt i64 %125, 4
  br i1 %126, label %127, label %190

127:                                              ; preds = %124
  br label %128

128:                                              ; preds = %186, %127
  %129 = phi i64 [ %187, %186 ], [ 0, %127 ]
  %130 = icmp slt i64 %129, 4
  br i1 %130, label %131, label %188

131:                                              ; preds = %128
  br label %132

132:                                              ; preds = %184, %131
  %133 = phi i64 [ %185, %184 ], [ 0, %131 ]
  %134 = icmp slt i64 %133, 3
  br i1 %134, label %135, label %186

135:                                              ; preds = %132
  br label %136

136:                                              ; preds = %182, %135
  %137 = phi i64 [ %183, %182 ], [ 0, %135 ]
  %138 = icmp slt i64 %137, 1
  br i1 %138, label %139, label %184

139:                                              ; preds = %136
  br label %140

140:                                              ; preds = %143, %139
  %141 = phi i64 [ %181, %143 ], [ 0, %139 ]
  %142 = icmp slt i64 %141, 1
  br i1 %142, label %143, label %182

143:                                              ; preds = %140
  %144 = add i64 %125, %137
  %145 = add i64 %129, %141
  %146 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %66, 1
  %147 = mul nuw nsw i64 %117, 48
  %148 = mul nuw nsw i64 %133, 16
  %149 = add nuw nsw i64 %147, %148
  %150 = mul nuw nsw i64 %144, 4
  %151 = add nuw nsw i64 %149, %150
  %152 = add nuw nsw i64 %151, %145
  %153 = getelementptr inbounds nuw float, ptr %146, i64 %152
  %154 = load float, ptr %153, align 4
  %155 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %55, 1
  %156 = mul nuw nsw i64 %121, 3
  %157 = add nuw nsw i64 %156, %133
  %158 = add nuw nsw i64 %157, %137
  %159 = add nuw nsw i64 %158, %141
  %160 = getelementptr inbounds nuw float, ptr %155, i64 %159
  %161 = load float, ptr %160, align 4
  %162 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %83, 1
  %163 = mul nuw nsw i64 %117, 128
  %164 = mul nuw nsw i64 %121, 16
  %165 = add nuw nsw i64 %163, %164
  %166 = mul nuw nsw i64 %125, 4
  %167 = add nuw nsw i64 %165, %166
  %168 = add nuw nsw i64 %167, %129
  %169 = getelementptr inbounds nuw float, ptr %162, i64 %168
  %170 = load float, ptr %169, align 4
  %171 = fmul float %154, %161
  %172 = fadd float %170, %171
  %173 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %83, 1
  %174 = mul nuw nsw i64 %117, 128
  %175 = mul nuw nsw i64 %121, 16
  %176 = add nuw nsw i64 %174, %175
  %177 = mul nuw nsw i64 %125, 4
  %178 = add nuw nsw i64 %176, %177
  %179 = add nuw nsw i64 %178, %129
  %180 = getelementptr inbounds nuw float, ptr %173, i64 %179
  store float %172, ptr %180, align 4
  %181 = add i64 %141, 1
  br label %140

182:                                              ; preds = %140
  %183 = add i64 %137, 1
  br label %136

184:                                              ; preds = %136
  %185 = add i64 %133, 1
  br label %132

186:                                              ; preds = %132
  %187 = add i64 %129, 1
  br label %128

188:                                              ; preds = %128
  %189 = add i64 %125, 1
  br label %124

190:                                              ; preds = %124
  %191 = add i64 %121, 1
  br label %120

192:                                              ; preds = %120
  %193 = add i64 %117, 1
  br label %116

194:                                              ; preds = %116
  %195 = call ptr @malloc(i64 2112)
  %196 = ptrtoint ptr %195 to i64
  %197 = add i64 %196, 63
  %198 = urem i64 %197, 64
  %199 = sub i64 %197, %198
  %200 = inttoptr i64 %199 to ptr
  %201 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %195, 0
  %202 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %201, ptr %200, 1
  %203 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %202, i64 0, 2
  %204 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %203, i64 1, 3, 0
  %205 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %204, i64 8, 3, 1
  %206 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %205, i64 8, 3, 2
  %207 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %206, i64 8, 3, 3
  %208 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %207, i64 512, 4, 0
  %209 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %208, i64 64, 4, 1
  %210 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %209, i64 8, 4, 2
  %211 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %210, i64 1, 4, 3
  %212 = call ptr @malloc(i64 2112)
  %213 = ptrtoint ptr %212 to i64
  %214 = add i64 %213, 63
  %215 = urem i64 %214, 64
  %216 = sub i64 %214, %215
  %217 = inttoptr i64 %216 to ptr
  %218 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %212, 0
  %219 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %218, ptr %217, 1
  %220 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, i64 0, 2
  %221 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, i64 1, 3, 0
  %222 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %221, i64 8, 3, 1
  %223 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %222, i64 8, 3, 2
  %224 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %223, i64 8, 3, 3
  %225 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %224, i64 512, 4, 0
  %226 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %225, i64 64, 4, 1
  %227 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %226, i64 8, 4, 2
  %228 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %227, i64 1, 4, 3
  br label %229

229:                                              ; preds = %268, %194
  %230 = phi i64 [ %269, %268 ], [ 0, %194 ]
  %231 = icmp slt i64 %230, 1
  br i1 %231, label %232, label %270

232:                                              ; preds = %229
  br label %233

233:                                              ; preds = %266, %232
  %234 = phi i64 [ %267, %266 ], [ 0, %232 ]
  %235 = icmp slt i64 %234, 8
  br i1 %235, label %236, label %268

236:                                              ; preds = %233
  br label %237

237:                                              ; preds = %264, %236
  %238 = phi i64 [ %265, %264 ], [ 0, %236 ]
  %239 = icmp slt i64 %238, 8
  br i1 %239, label %240, label %266

240:                                              ; preds = %237
  br label %241

241:                                              ; preds = %244, %240
  %242 = phi i64 [ %263, %244 ], [ 0, %240 ]
  %243 = icmp slt i64 %242, 8
  br i1 %243, label %244, label %264

244:                                              ; preds = %241
  %245 = udiv i64 %238, 2
  %246 = udiv i64 %242, 2
  %247 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %83, 1
  %248 = mul nuw nsw i64 %234, 16
  %249 = add nuw nsw i64 0, %248
  %250 = mul nuw nsw i64 %245, 4
  %251 = add nuw nsw i64 %249, %250
  %252 = add nuw nsw i64 %251, %246
  %253 = getelementptr inbounds nuw float, ptr %247, i64 %252
  %254 = load float, ptr %253, align 4
  %255 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %228, 1
  %256 = mul nuw nsw i64 %230, 512
  %257 = mul nuw nsw i64 %234, 64
  %258 = add nuw nsw i64 %256, %257
  %259 = mul nuw nsw i64 %238, 8
  %260 = add nuw nsw i64 %258, %259
  %261 = add nuw nsw i64 %260, %242
  %262 = getelementptr inbounds nuw float, ptr %255, i64 %261
  store float %254, ptr %262, align 4
  %263 = add i64 %242, 1
  br label %241

264:                                              ; preds = %241
  %265 = add i64 %238, 1
  br label %237

266:                                              ; preds = %237
  %267 = add i64 %234, 1
  br label %233

268:                                              ; preds = %233
  %269 = add i64 %230, 1
  br label %229

270:                                              ; preds = %229
  br label %271

271:                                              ; preds = %300, %270
  %272 = phi i64 [ %301, %300 ], [ 0, %270 ]
  %273 = icmp slt i64 %272, 1
  br i1 %273, label %274, label %302

274:                                              ; preds = %271
  br label %275

275:                                              ; preds = %298, %274
  %276 = phi i64 [ %299, %298 ], [ 0, %274 ]
  %277 = icmp slt i64 %276, 8
  br i1 %277, label %278, label %300

278:                                              ; preds = %275
  br label %279

279:                                              ; preds = %296, %278
  %280 = phi i64 [ %297, %296 ], [ 0, %278 ]
  %281 = icmp slt i64 %280, 8
  br i1 %281, label %282, label %298

282:                                              ; preds = %279
  br label %283

283:                                              ; preds = %286, %282
  %284 = phi i64 [ %295, %286 ], [ 0, %282 ]
  %285 = icmp slt i64 %284, 8
  br i1 %285, label %286, label %296

286:                                              ; preds = %283
  %287 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %211, 1
  %288 = mul nuw nsw i64 %272, 512
  %289 = mul nuw nsw i64 %276, 64
  %290 = add nuw nsw i64 %288, %289
  %291 = mul nuw nsw i64 %280, 8
  %292 = add nuw nsw i64 %290, %291
  %293 = add nuw nsw i64 %292, %284
  %294 = getelementptr inbounds nuw float, ptr %287, i64 %293
  store float 0.000000e+00, ptr %294, align 4
  %295 = add i64 %284, 1
  br label %283

296:                                              ; preds = %283
  %297 = add i64 %280, 1
  br label %279

298:                                              ; preds = %279
  %299 = add i64 %276, 1
  br label %275

300:                                              ; preds = %275
  %301 = add i64 %272, 1
  br label %271

302:                                              ; preds = %271
  br label %303

303:                                              ; preds = %379, %302
  %304 = phi i64 [ %380, %379 ], [ 0, %302 ]
  %305 = icmp slt i64 %304, 1
  br i1 %305, label %306, label %381

306:                                              ; preds = %303
  br label %307

307:                                              ; preds = %377, %306
  %308 = phi i64 [ %378, %377 ], [ 0, %306 ]
  %309 = icmp slt i64 %308, 8
  br i1 %309, label %310, label %379

310:                                              ; preds = %307
  br label %311

311:                                              ; preds = %375, %310
  %312 = phi i64 [ %376, %375 ], [ 0, %310 ]
  %313 = icmp slt i64 %312, 8
  br i1 %313, label %314, label %377

314:                                              ; preds = %311
  br label %315

315:                                              ; preds = %373, %314
  %316 = phi i64 [ %374, %373 ], [ 0, %314 ]
  %317 = icmp slt i64 %316, 8
  br i1 %317, label %318, label %375

318:                                              ; preds = %315
  br label %319

319:                                              ; preds = %371, %318
  %320 = phi i64 [ %372, %371 ], [ 0, %318 ]
  %321 = icmp slt i64 %320, 8
  br i1 %321, label %322, label %373

322:                                              ; preds = %319
  br label %323

323:                                              ; preds = %369, %322
  %324 = phi i64 [ %370, %369 ], [ 0, %322 ]
  %325 = icmp slt i64 %324, 1
  br i1 %325, label %326, label %371

326:                                              ; preds = %323
  br label %327

327:                                              ; preds = %330, %326
  %328 = phi i64 [ %368, %330 ], [ 0, %326 ]
  %329 = icmp slt i64 %328, 1
  br i1 %329, label %330, label %369

330:                                              ; preds = %327
  %331 = add i64 %312, %324
  %332 = add i64 %316, %328
  %333 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %228, 1
  %334 = mul nuw nsw i64 %304, 512
  %335 = mul nuw nsw i64 %320, 64
  %336 = add nuw nsw i64 %334, %335
  %337 = mul nuw nsw i64 %331, 8
  %338 = add nuw nsw i64 %336, %337
  %339 = add nuw nsw i64 %338, %332
  %340 = getelementptr inbounds nuw float, ptr %333, i64 %339
  %341 = load float, ptr %340, align 4
  %342 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 1
  %343 = mul nuw nsw i64 %308, 8
  %344 = add nuw nsw i64 %343, %320
  %345 = add nuw nsw i64 %344, %324
  %346 = add nuw nsw i64 %345, %328
  %347 = getelementptr inbounds nuw float, ptr %342, i64 %346
  %348 = load float, ptr %347, align 4
  %349 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %211, 1
  %350 = mul nuw nsw i64 %304, 512
  %351 = mul nuw nsw i64 %308, 64
  %352 = add nuw nsw i64 %350, %351
  %353 = mul nuw nsw i64 %312, 8
  %354 = add nuw nsw i64 %352, %353
  %355 = add nuw nsw i64 %354, %316
  %356 = getelementptr inbounds nuw float, ptr %349, i64 %355
  %357 = load float, ptr %356, align 4
  %358 = fmul float %341, %348
  %359 = fadd float %357, %358
  %360 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %211, 1
  %361 = mul nuw nsw i64 %304, 512
  %362 = mul nuw nsw i64 %308, 64
  %363 = add nuw nsw i64 %361, %362
  %364 = mul nuw nsw i64 %312, 8
  %365 = add nuw nsw i64 %363, %364
  %366 = add nuw nsw i64 %365, %316
  %367 = getelementptr inbounds nuw float, ptr %360, i64 %366
  store float %359, ptr %367, align 4
  %368 = add i64 %328, 1
  br label %327

369:                                              ; preds = %327
  %370 = add i64 %324, 1
  br label %323

371:                                              ; preds = %323
  %372 = add i64 %320, 1
  br label %319

373:                                              ; preds = %319
  %374 = add i64 %316, 1
  br label %315

375:                                              ; preds = %315
  %376 = add i64 %312, 1
  br label %311

377:                                              ; preds = %311
  %378 = add i64 %308, 1
  br label %307

379:                                              ; preds = %307
  %380 = add i64 %304, 1
  br label %303

381:                                              ; preds = %303
  ret { ptr, ptr, i64, [4 x i64], [4 x i64] } %211
}

define void @_mlir_ciface_upsample(ptr %0, ptr %1, ptr %2, ptr %3) {
  %5 = load { ptr, ptr, i64, [4 x i64], [4 x i64] }, ptr %1, align 8
  %6 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %5, 0
  %7 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %5, 1
  %8 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %5, 2
  %9 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %5, 3, 0
  %10 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %5, 3, 1
  %11 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %5, 3, 2
  %12 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %5, 3, 3
  %13 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %5, 4, 0
  %14 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %5, 4, 1
  %15 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %5, 4, 2
  %16 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %5, 4, 3
  %17 = load { ptr, ptr, i64, [4 x i64], [4 x i64] }, ptr %2, align 8
  %18 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %17, 0
  %19 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %17, 1
  %20 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %17, 2
  %21 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %17, 3, 0
  %22 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %17, 3, 1
  %23 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %17, 3, 2
  %24 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %17, 3, 3
  %25 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %17, 4, 0
  %26 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %17, 4, 1
  %27 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %17, 4, 2
  %28 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %17, 4, 3
  %29 = load { ptr, ptr, i64, [4 x i64], [4 x i64] }, ptr %3, align 8
  %30 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, 0
  %31 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, 1
  %32 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, 2
  %33 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, 3, 0
  %34 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, 3, 1
  %35 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, 3, 2
  %36 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, 3, 3
  %37 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, 4, 0
  %38 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, 4, 1
  %39 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, 4, 2
  %40 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, 4, 3
  %41 = call { ptr, ptr, i64, [4 x i64], [4 x i64] } @upsample(ptr %6, ptr %7, i64 %8, i64 %9, i64 %10, i64 %11, i64 %12, i64 %13, i64 %14, i64 %15, i64 %16, ptr %18, ptr %19, i64 %20, i64 %21, i64 %22, i64 %23, i64 %24, i64 %25, i64 %26, i64 %27, i64 %28, ptr %30, ptr %31, i64 %32, i64 %33, i64 %34, i64 %35, i64 %36, i64 %37, i64 %38, i64 %39, i64 %40)
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %41, ptr %0, align 8
  ret void
}

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
