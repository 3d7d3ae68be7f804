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
  %67 = call ptr @malloc(i64 320)
  %68 = ptrtoint ptr %67 to i64
  %69 = add i64 %68, 63
  %70 = urem i64 %69, 64
  %71 = sub i64 %69, %70
  %72 = inttoptr i64 %71 to ptr
  %73 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %67, 0
  %74 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %73, ptr %72, 1
  %75 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %74, i64 0, 2
  %76 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %75, i64 1, 3, 0
  %77 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %76, i64 1, 3, 1
  %78 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %77, i64 8, 3, 2
  %79 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %78, i64 8, 3, 3
  %80 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %79, i64 64, 4, 0
  %81 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %80, i64 64, 4, 1
  %82 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %81, i64 8, 4, 2
  %83 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %82, i64 1, 4, 3
  br label %84

84:                                               ; preds = %120, %33
  %85 = phi i64 [ %121, %120 ], [ 0, %33 ]
  %86 = icmp slt i64 %85, 1
  br i1 %86, label %87, label %122

87:                                               ; preds = %84
  br label %88

88:                                               ; preds = %118, %87
  %89 = phi i64 [ %119, %118 ], [ 0, %87 ]
  %90 = icmp slt i64 %89, 1
  br i1 %90, label %91, label %120

91:                                               ; preds = %88
  br label %92

92:                                               ; preds = %116, %91
  %93 = phi i64 [ %117, %116 ], [ 0, %91 ]
  %94 = icmp slt i64 %93, 8
  br i1 %94, label %95, label %118

95:                                               ; preds = %92
  br label %96

96:                                               ; preds = %99, %95
  %97 = phi i64 [ %115, %99 ], [ 0, %95 ]
  %98 = icmp slt i64 %97, 8
  br i1 %98, label %99, label %116

99:                                               ; preds = %96
  %100 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 1
  %101 = mul nuw nsw i64 %97, 8
  %102 = add nuw nsw i64 %101, %93
  %103 = add nuw nsw i64 %102, %85
  %104 = add nuw nsw i64 %103, %89
  %105 = getelementptr inbounds nuw float, ptr %100, i64 %104
  %106 = load float, ptr %105, align 4
  %107 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %83, 1
  %108 = mul nuw nsw i64 %85, 64
  %109 = mul nuw nsw i64 %89, 64
  %110 = add nuw nsw i64 %108, %109
  %111 = mul nuw nsw i64 %93, 8
  %112 = add nuw nsw i64 %110, %111
  %113 = add nuw nsw i64 %112, %97
  %114 = getelementptr inbounds nuw float, ptr %107, i64 %113
  store float %106, ptr %114, align 4
  %115 = add i64 %97, 1
  br label %96

116:                                              ; preds = %96
  %117 = add i64 %93, 1
  br label %92

118:                                              ; preds = %92
  %119 = add i64 %89, 1
  br label %88

120:                                              ; preds = %88
  %121 = add i64 %85, 1
  br label %84

122:                                              ; preds = %84
  %123 = call ptr @malloc(i64 160)
  %124 = ptrtoint ptr %123 to i64
  %125 = add i64 %124, 63
  %126 = urem i64 %125, 64
  %127 = sub i64 %125, %126
  %128 = inttoptr i64 %127 to ptr
  %129 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %123, 0
  %130 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %129, ptr %128, 1
  %131 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %130, i64 0, 2
  %132 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %131, i64 1, 3, 0
  %133 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %132, i64 1, 3, 1
  %134 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %133, i64 3, 3, 2
  %135 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %134, i64 8, 3, 3
  %136 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %135, i64 24, 4, 0
  %137 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %136, i64 24, 4, 1
  %138 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %137, i64 8, 4, 2
  %139 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %138, i64 1, 4, 3
  br label %140

140:                                              ; preds = %176, %122
  %141 = phi i64 [ %177, %176 ], [ 0, %122 ]
  %142 = icmp slt i64 %141, 1
  br i1 %142, label %143, label %178

143:                                              ; preds = %140
  br label %144

144:                                              ; preds = %174, %143
  %145 = phi i64 [ %175, %174 ], [ 0, %143 ]
  %146 = icmp slt i64 %145, 1
  br i1 %146, label %147, label %176

147:                                              ; preds = %144
  br label %148

148:                                              ; preds = %172, %147
  %149 = phi i64 [ %173, %172 ], [ 0, %147 ]
  %150 = icmp slt i64 %149, 3
  br i1 %150, label %151, label %174

151:                                              ; preds = %148
  br label %152

152:                                              ; preds = %155, %151
  %153 = phi i64 [ %171, %155 ], [ 0, %151 ]
  %154 = icmp slt i64 %153, 8
  br i1 %154, label %155, label %172

155:                                              ; preds = %152
  %156 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %55, 1
  %157 = mul nuw nsw i64 %153, 3
  %158 = add nuw nsw i64 %157, %149
  %159 = add nuw nsw i64 %158, %141
  %160 = add nuw nsw i64 %159, %145
  %161 = getelementptr inbounds nuw float, ptr %156, i64 %160
  %162 = load float, ptr %161, align 4
  %163 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %139, 1
  %164 = mul nuw nsw i64 %141, 24
  %165 = mul nuw nsw i64 %145, 24
  %166 = add nuw nsw i64 %164, %165
  %167 = mul nuw nsw i64 %149, 8
  %168 = add nuw nsw i64 %166, %167
  %169 = add nuw nsw i64 %168, %153
  %170 = getelementptr inbounds nuw float, ptr %163, i64 %169
  store float %162, ptr %170, align 4
  %171 = add i64 %153, 1
  br label %152

172:                                              ; preds = %152
  %173 = add i64 %149, 1
  br label %148

174:                                              ; preds = %148
  %175 = add i64 %145, 1
  br label %144

176:                                              ; preds = %144
  %177 = add i64 %141, 1
  br label %140

178:                                              ; preds = %140
  %179 = call ptr @malloc(i64 256)
  %180 = ptrtoint ptr %179 to i64
  %181 = add i64 %180, 63
  %182 = urem i64 %181, 64
  %183 = sub i64 %181, %182
  %184 = inttoptr i64 %183 to ptr
  %185 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %179, 0
  %186 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %185, ptr %184, 1
  %187 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %186, i64 0, 2
  %188 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %187, i64 1, 3, 0
  %189 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %188, i64 4, 3, 1
  %190 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %189, i64 4, 3, 2
  %191 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %190, i64 3, 3, 3
  %192 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %191, i64 48, 4, 0
  %193 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %192, i64 12, 4, 1
  %194 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %193, i64 3, 4, 2
  %195 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %194, i64 1, 4, 3
  br label %196

196:                                              ; preds = %234, %178
  %197 = phi i64 [ %235, %234 ], [ 0, %178 ]
  %198 = icmp slt i64 %197, 1
  br i1 %198, label %199, label %236

199:                                              ; preds = %196
  br label %200

200:                                              ; preds = %232, %199
  %201 = phi i64 [ %233, %232 ], [ 0, %199 ]
  %202 = icmp slt i64 %201, 4
  br i1 %202, label %203, label %234

203:                                              ; preds = %200
  br label %204

204:                                              ; preds = %230, %203
  %205 = phi i64 [ %231, %230 ], [ 0, %203 ]
  %206 = icmp slt i64 %205, 4
  br i1 %206, label %207, label %232

207:                                              ; preds = %204
  br label %208

208:                                              ; preds = %211, %207
  %209 = phi i64 [ %229, %211 ], [ 0, %207 ]
  %210 = icmp slt i64 %209, 3
  br i1 %210, label %211, label %230

211:                                              ; preds = %208
  %212 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %66, 1
  %213 = mul nuw nsw i64 %197, 48
  %214 = mul nuw nsw i64 %209, 16
  %215 = add nuw nsw i64 %213, %214
  %216 = mul nuw nsw i64 %201, 4
  %217 = add nuw nsw i64 %215, %216
  %218 = add nuw nsw i64 %217, %205
  %219 = getelementptr inbounds nuw float, ptr %212, i64 %218
  %220 = load float, ptr %219, align 4
  %221 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %195, 1
  %222 = mul nuw nsw i64 %197, 48
  %223 = mul nuw nsw i64 %201, 12
  %224 = add nuw nsw i64 %222, %223
  %225 = mul nuw nsw i64 %205, 3
  %226 = add nuw nsw i64 %224, %225
  %227 = add nuw nsw i64 %226, %209
  %228 = getelementptr inbounds nuw float, ptr %221, i64 %227
  store float %220, ptr %228, align 4
  %229 = add i64 %209, 1
  br label %208

230:                                              ; preds = %208
  %231 = add i64 %205, 1
  br label %204

232:                                              ; preds = %204
  %233 = add i64 %201, 1
  br label %200

234:                                              ; preds = %200
  %235 = add i64 %197, 1
  br label %196

236:                                              ; preds = %196
  %237 = call ptr @malloc(i64 576)
  %238 = ptrtoint ptr %237 to i64
  %239 = add i64 %238, 63
  %240 = urem i64 %239, 64
  %241 = sub i64 %239, %240
  %242 = inttoptr i64 %241 to ptr
  %243 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %237, 0
  %244 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %243, ptr %242, 1
  %245 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %244, i64 0, 2
  %246 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %245, i64 1, 3, 0
  %247 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %246, i64 4, 3, 1
  %248 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %247, i64 4, 3, 2
  %249 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %248, i64 8, 3, 3
  %250 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %249, i64 128, 4, 0
  %251 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %250, i64 32, 4, 1
  %252 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %251, i64 8, 4, 2
  %253 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %252, i64 1, 4, 3
  br label %254

254:                                              ; preds = %283, %236
  %255 = phi i64 [ %284, %283 ], [ 0, %236 ]
  %256 = icmp slt i64 %255, 1
  br i1 %256, label %257, label %285

257:                                              ; preds = %254
  br label %258

258:                                              ; preds = %281, %257
  %259 = phi i64 [ %282, %281 ], [ 0, %257 ]
  %260 = icmp slt i64 %259, 4
  br i1 %260, label %261, label %283

261:                                              ; preds = %258
  br label %262

262:                                              ; preds = %279, %261
  %263 = phi i64 [ %280, %279 ], [ 0, %261 ]
  %264 = icmp slt i64 %263, 4
  br i1 %264, label %265, label %281

265:                                              ; preds = %262
  br label %266

266:                                              ; preds = %269, %265
  %267 = phi i64 [ %278, %269 ], [ 0, %265 ]
  %268 = icmp slt i64 %267, 8
  br i1 %268, label %269, label %279

269:                                              ; preds = %266
  %270 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %253, 1
  %271 = mul nuw nsw i64 %255, 128
  %272 = mul nuw nsw i64 %259, 32
  %273 = add nuw nsw i64 %271, %272
  %274 = mul nuw nsw i64 %263, 8
  %275 = add nuw nsw i64 %273, %274
  %276 = add nuw nsw i64 %275, %267
  %277 = getelementptr inbounds nuw float, ptr %270, i64 %276
  store float 0.000000e+00, ptr %277, align 4
  %278 = add i64 %267, 1
  br label %266

279:                                              ; preds = %266
  %280 = add i64 %263, 1
  br label %262

281:                                              ; preds = %262
  %282 = add i64 %259, 1
  br label %258

283:                                              ; preds = %258
  %284 = add i64 %255, 1
  br label %254

285:                                              ; preds = %254
  br label %286

286:                                              ; preds = %364, %285
  %287 = phi i64 [ %365, %364 ], [ 0, %285 ]
  %288 = icmp slt i64 %287, 1
  br i1 %288, label %289, label %366

289:                                              ; preds = %286
  br label %290

290:                                              ; preds = %362, %289
  %291 = phi i64 [ %363, %362 ], [ 0, %289 ]
  %292 = icmp slt i64 %291, 4
  br i1 %292, label %293, label %364

293:                                              ; preds = %290
  br label %294

294:                                              ; preds = %360, %293
  %295 = phi i64 [ %361, %360 ], [ 0, %293 ]
  %296 = icmp slt i64 %295, 4
  br i1 %296, label %297, label %362

297:                                              ; preds = %294
  br label %298

298:                                              ; preds = %358, %297
  %299 = phi i64 [ %359, %358 ], [ 0, %297 ]
  %300 = icmp slt i64 %299, 8
  br i1 %300, label %301, label %360

301:                                              ; preds = %298
  br label %302

302:                                              ; preds = %356, %301
  %303 = phi i64 [ %357, %356 ], [ 0, %301 ]
  %304 = icmp slt i64 %303, 1
  br i1 %304, label %305, label %358

305:                                              ; preds = %302
  br label %306

306:                                              ; preds = %354, %305
  %307 = phi i64 [ %355, %354 ], [ 0, %305 ]
  %308 = icmp slt i64 %307, 1
  br i1 %308, label %309, label %356

309:                                              ; preds = %306
  br label %310

310:                                              ; preds = %313, %309
  %311 = phi i64 [ %353, %313 ], [ 0, %309 ]
  %312 = icmp slt i64 %311, 3
  br i1 %312, label %313, label %354

313:                                              ; preds = %310
  %314 = add i64 %291, %303
  %315 = add i64 %295, %307
  %316 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %195, 1
  %317 = mul nuw nsw i64 %287, 48
  %318 = mul nuw nsw i64 %314, 12
  %319 = add nuw nsw i64 %317, %318
  %320 = mul nuw nsw i64 %315, 3
  %321 = add nuw nsw i64 %319, %320
  %322 = add nuw nsw i64 %321, %311
  %323 = getelementptr inbounds nuw float, ptr %316, i64 %322
  %324 = load float, ptr %323, align 4
  %325 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %139, 1
  %326 = mul nuw nsw i64 %303, 24
  %327 = mul nuw nsw i64 %307, 24
  %328 = add nuw nsw i64 %326, %327
  %329 = mul nuw nsw i64 %311, 8
  %330 = add nuw nsw i64 %328, %329
  %331 = add nuw nsw i64 %330, %299
  %332 = getelementptr inbounds nuw float, ptr %325, i64 %331
  %333 = load float, ptr %332, align 4
  %334 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %253, 1
  %335 = mul nuw nsw i64 %287, 128
  %336 = mul nuw nsw i64 %291, 32
  %337 = add nuw nsw i64 %335, %336
  %338 = mul nuw nsw i64 %295, 8
  %339 = add nuw nsw i64 %337, %338
  %340 = add nuw nsw i64 %339, %299
  %341 = getelementptr inbounds nuw float, ptr %334, i64 %340
  %342 = load float, ptr %341, align 4
  %343 = fmul float %324, %333
  %344 = fadd float %342, %343
  %345 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %253, 1
  %346 = mul nuw nsw i64 %287, 128
  %347 = mul nuw nsw i64 %291, 32
  %348 = add nuw nsw i64 %346, %347
  %349 = mul nuw nsw i64 %295, 8
  %350 = add nuw nsw i64 %348, %349
  %351 = add nuw nsw i64 %350, %299
  %352 = getelementptr inbounds nuw float, ptr %345, i64 %351
  store float %344, ptr %352, align 4
  %353 = add i64 %311, 1
  br label %310

354:                                              ; preds = %310
  %355 = add i64 %307, 1
  br label %306

356:                                              ; preds = %306
  %357 = add i64 %303, 1
  br label %302

358:                                              ; preds = %302
  %359 = add i64 %299, 1
  br label %298

360:                                              ; preds = %298
  %361 = add i64 %295, 1
  br label %294

362:                                              ; preds = %294
  %363 = add i64 %291, 1
  br label %290

364:                                              ; preds = %290
  %365 = add i64 %287, 1
  br label %286

366:                                              ; preds = %286
  %367 = call ptr @malloc(i64 2112)
  %368 = ptrtoint ptr %367 to i64
  %369 = add i64 %368, 63
  %370 = urem i64 %369, 64
  %371 = sub i64 %369, %370
  %372 = inttoptr i64 %371 to ptr
  %373 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %367, 0
  %374 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %373, ptr %372, 1
  %375 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %374, i64 0, 2
  %376 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %375, i64 1, 3, 0
  %377 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %376, i64 8, 3, 1
  %378 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %377, i64 8, 3, 2
  %379 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %378, i64 8, 3, 3
  %380 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %379, i64 512, 4, 0
  %381 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %380, i64 64, 4, 1
  %382 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %381, i64 8, 4, 2
  %383 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %382, i64 1, 4, 3
  %384 = call ptr @malloc(i64 2112)
  %385 = ptrtoint ptr %384 to i64
  %386 = add i64 %385, 63
  %387 = urem i64 %386, 64
  %388 = sub i64 %386, %387
  %389 = inttoptr i64 %388 to ptr
  %390 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %384, 0
  %391 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %390, ptr %389, 1
  %392 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %391, i64 0, 2
  %393 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %392, i64 1, 3, 0
  %394 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %393, i64 8, 3, 1
  %395 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %394, i64 8, 3, 2
  %396 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %395, i64 8, 3, 3
  %397 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %396, i64 512, 4, 0
  %398 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %397, i64 64, 4, 1
  %399 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %398, i64 8, 4, 2
  %400 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %399, i64 1, 4, 3
  br label %401

401:                                              ; preds = %440, %366
  %402 = phi i64 [ %441, %440 ], [ 0, %366 ]
  %403 = icmp slt i64 %402, 1
  br i1 %403, label %404, label %442

404:                                              ; preds = %401
  br label %405

405:                                              ; preds = %438, %404
  %406 = phi i64 [ %439, %438 ], [ 0, %404 ]
  %407 = icmp slt i64 %406, 8
  br i1 %407, label %408, label %440

408:                                              ; preds = %405
  br label %409

409:                                              ; preds = %436, %408
  %410 = phi i64 [ %437, %436 ], [ 0, %408 ]
  %411 = icmp slt i64 %410, 8
  br i1 %411, label %412, label %438

412:                                              ; preds = %409
  br label %413

413:                                              ; preds = %416, %412
  %414 = phi i64 [ %435, %416 ], [ 0, %412 ]
  %415 = icmp slt i64 %414, 8
  br i1 %415, label %416, label %436

416:                                              ; preds = %413
  %417 = udiv i64 %406, 2
  %418 = udiv i64 %410, 2
  %419 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %253, 1
  %420 = mul nuw nsw i64 %417, 32
  %421 = add nuw nsw i64 0, %420
  %422 = mul nuw nsw i64 %418, 8
  %423 = add nuw nsw i64 %421, %422
  %424 = add nuw nsw i64 %423, %414
  %425 = getelementptr inbounds nuw float, ptr %419, i64 %424
  %426 = load float, ptr %425, align 4
  %427 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %383, 1
  %428 = mul nuw nsw i64 %402, 512
  %429 = mul nuw nsw i64 %406, 64
  %430 = add nuw nsw i64 %428, %429
  %431 = mul nuw nsw i64 %410, 8
  %432 = add nuw nsw i64 %430, %431
  %433 = add nuw nsw i64 %432, %414
  %434 = getelementptr inbounds nuw float, ptr %427, i64 %433
  store float %426, ptr %434, align 4
  %435 = add i64 %414, 1
  br label %413

436:                                              ; preds = %413
  %437 = add i64 %410, 1
  br label %409

438:                                              ; preds = %409
  %439 = add i64 %406, 1
  br label %405

440:                                              ; preds = %405
  %441 = add i64 %402, 1
  br label %401

442:                                              ; preds = %401
  br label %443

443:                                              ; preds = %472, %442
  %444 = phi i64 [ %473, %472 ], [ 0, %442 ]
  %445 = icmp slt i64 %444, 1
  br i1 %445, label %446, label %474

446:                                              ; preds = %443
  br label %447

447:                                              ; preds = %470, %446
  %448 = phi i64 [ %471, %470 ], [ 0, %446 ]
  %449 = icmp slt i64 %448, 8
  br i1 %449, label %450, label %472

450:                                              ; preds = %447
  br label %451

451:                                              ; preds = %468, %450
  %452 = phi i64 [ %469, %468 ], [ 0, %450 ]
  %453 = icmp slt i64 %452, 8
  br i1 %453, label %454, label %470

454:                                              ; preds = %451
  br label %455

455:                                              ; preds = %458, %454
  %456 = phi i64 [ %467, %458 ], [ 0, %454 ]
  %457 = icmp slt i64 %456, 8
  br i1 %457, label %458, label %468

458:                                              ; preds = %455
  %459 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %400, 1
  %460 = mul nuw nsw i64 %444, 512
  %461 = mul nuw nsw i64 %448, 64
  %462 = add nuw nsw i64 %460, %461
  %463 = mul nuw nsw i64 %452, 8
  %464 = add nuw nsw i64 %462, %463
  %465 = add nuw nsw i64 %464, %456
  %466 = getelementptr inbounds nuw float, ptr %459, i64 %465
  store float 0.000000e+00, ptr %466, align 4
  %467 = add i64 %456, 1
  br label %455

468:                                              ; preds = %455
  %469 = add i64 %452, 1
  br label %451

470:                                              ; preds = %451
  %471 = add i64 %448, 1
  br label %447

472:                                              ; preds = %447
  %473 = add i64 %444, 1
  br label %443

474:                                              ; preds = %443
  br label %475

475:                                              ; preds = %553, %474
  %476 = phi i64 [ %554, %553 ], [ 0, %474 ]
  %477 = icmp slt i64 %476, 1
  br i1 %477, label %478, label %555

478:                                              ; preds = %475
  br label %479

479:                                              ; preds = %551, %478
  %480 = phi i64 [ %552, %551 ], [ 0, %478 ]
  %481 = icmp slt i64 %480, 8
  br i1 %481, label %482, label %553

482:                                              ; preds = %479
  br label %483

483:                                              ; preds = %549, %482
  %484 = phi i64 [ %550, %549 ], [ 0, %482 ]
  %485 = icmp slt i64 %484, 8
  br i1 %485, label %486, label %551

486:                                              ; preds = %483
  br label %487

487:                                              ; preds = %547, %486
  %488 = phi i64 [ %548, %547 ], [ 0, %486 ]
  %489 = icmp slt i64 %488, 8
  br i1 %489, label %490, label %549

490:                                              ; preds = %487
  br label %491

491:                                              ; preds = %545, %490
  %492 = phi i64 [ %546, %545 ], [ 0, %490 ]
  %493 = icmp slt i64 %492, 1
  br i1 %493, label %494, label %547

494:                                              ; preds = %491
  br label %495

495:                                              ; preds = %543, %494
  %496 = phi i64 [ %544, %543 ], [ 0, %494 ]
  %497 = icmp slt i64 %496, 1
  br i1 %497, label %498, label %545

498:                                              ; preds = %495
  br label %499

499:                                              ; preds = %502, %498
  %500 = phi i64 [ %542, %502 ], [ 0, %498 ]
  %501 = icmp slt i64 %500, 8
  br i1 %501, label %502, label %543

502:                                              ; preds = %499
  %503 = add i64 %480, %492
  %504 = add i64 %484, %496
  %505 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %383, 1
  %506 = mul nuw nsw i64 %476, 512
  %507 = mul nuw nsw i64 %503, 64
  %508 = add nuw nsw i64 %506, %507
  %509 = mul nuw nsw i64 %504, 8
  %510 = add nuw nsw i64 %508, %509
  %511 = add nuw nsw i64 %510, %500
  %512 = getelementptr inbounds nuw float, ptr %505, i64 %511
  %513 = load float, ptr %512, align 4
  %514 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %83, 1
  %515 = mul nuw nsw i64 %492, 64
  %516 = mul nuw nsw i64 %496, 64
  %517 = add nuw nsw i64 %515, %516
  %518 = mul nuw nsw i64 %500, 8
  %519 = add nuw nsw i64 %517, %518
  %520 = add nuw nsw i64 %519, %488
  %521 = getelementptr inbounds nuw float, ptr %514, i64 %520
  %522 = load float, ptr %521, align 4
  %523 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %400, 1
  %524 = mul nuw nsw i64 %476, 512
  %525 = mul nuw nsw i64 %480, 64
  %526 = add nuw nsw i64 %524, %525
  %527 = mul nuw nsw i64 %484, 8
  %528 = add nuw nsw i64 %526, %527
  %529 = add nuw nsw i64 %528, %488
  %530 = getelementptr inbounds nuw float, ptr %523, i64 %529
  %531 = load float, ptr %530, align 4
  %532 = fmul float %513, %522
  %533 = fadd float %531, %532
  %534 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %400, 1
  %535 = mul nuw nsw i64 %476, 512
  %536 = mul nuw nsw i64 %480, 64
  %537 = add nuw nsw i64 %535, %536
  %538 = mul nuw nsw i64 %484, 8
  %539 = add nuw nsw i64 %537, %538
  %540 = add nuw nsw i64 %539, %488
  %541 = getelementptr inbounds nuw float, ptr %534, i64 %540
  store float %533, ptr %541, align 4
  %542 = add i64 %500, 1
  br label %499

543:                                              ; preds = %499
  %544 = add i64 %496, 1
  br label %495

545:                                              ; preds = %495
  %546 = add i64 %492, 1
  br label %491

547:                                              ; preds = %491
  %548 = add i64 %488, 1
  br label %487

549:                                              ; preds = %487
  %550 = add i64 %484, 1
  br label %483

551:                                              ; preds = %483
  %552 = add i64 %480, 1
  br label %479

553:                                              ; preds = %479
  %554 = add i64 %476, 1
  br label %475

555:                                              ; preds = %475
  %556 = call ptr @malloc(i64 2112)
  %557 = ptrtoint ptr %556 to i64
  %558 = add i64 %557, 63
  %559 = urem i64 %558, 64
  %560 = sub i64 %558, %559
  %561 = inttoptr i64 %560 to ptr
  %562 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %556, 0
  %563 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %562, ptr %561, 1
  %564 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %563, i64 0, 2
  %565 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %564, i64 1, 3, 0
  %566 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %565, i64 8, 3, 1
  %567 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %566, i64 8, 3, 2
  %568 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %567, i64 8, 3, 3
  %569 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %568, i64 512, 4, 0
  %570 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %569, i64 64, 4, 1
  %571 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %570, i64 8, 4, 2
  %572 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %571, i64 1, 4, 3
  br label %573

573:                                              ; preds = %611, %555
  %574 = phi i64 [ %612, %611 ], [ 0, %555 ]
  %575 = icmp slt i64 %574, 1
  br i1 %575, label %576, label %613

576:                                              ; preds = %573
  br label %577

577:                                              ; preds = %609, %576
  %578 = phi i64 [ %610, %609 ], [ 0, %576 ]
  %579 = icmp slt i64 %578, 8
  br i1 %579, label %580, label %611

580:                                              ; preds = %577
  br label %581

581:                                              ; preds = %607, %580
  %582 = phi i64 [ %608, %607 ], [ 0, %580 ]
  %583 = icmp slt i64 %582, 8
  br i1 %583, label %584, label %609

584:                                              ; preds = %581
  br label %585

585:                                              ; preds = %588, %584
  %586 = phi i64 [ %606, %588 ], [ 0, %584 ]
  %587 = icmp slt i64 %586, 8
  br i1 %587, label %588, label %607

588:                                              ; preds = %585
  %589 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %400, 1
  %590 = mul nuw nsw i64 %574, 512
  %591 = mul nuw nsw i64 %582, 64
  %592 = add nuw nsw i64 %590, %591
  %593 = mul nuw nsw i64 %586, 8
  %594 = add nuw nsw i64 %592, %593
  %595 = add nuw nsw i64 %594, %578
  %596 = getelementptr inbounds nuw float, ptr %589, i64 %595
  %597 = load float, ptr %596, align 4
  %598 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %572, 1
  %599 = mul nuw nsw i64 %574, 512
  %600 = mul nuw nsw i64 %578, 64
  %601 = add nuw nsw i64 %599, %600
  %602 = mul nuw nsw i64 %582, 8
  %603 = add nuw nsw i64 %601, %602
  %604 = add nuw nsw i64 %603, %586
  %605 = getelementptr inbounds nuw float, ptr %598, i64 %604
  store float %597, ptr %605, align 4
  %606 = add i64 %586, 1
  br label %585

607:                                              ; preds = %585
  %608 = add i64 %582, 1
  br label %581

609:                                              ; preds = %581
  %610 = add i64 %578, 1
  br label %577

611:                                              ; preds = %577
  %612 = add i64 %574, 1
  br label %573

613:                                              ; preds = %573
  ret { ptr, ptr, i64, [4 x i64], [4 x i64] } %572
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
