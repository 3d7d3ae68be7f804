; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare ptr @malloc(i64)

define { ptr, ptr, i64, [4 x i64], [4 x i64] } @groups(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10, i64 %11, i64 %12, ptr %13, ptr %14, i64 %15, i64 %16, i64 %17, i64 %18, i64 %19, i64 %20, i64 %21, i64 %22, i64 %23, i64 %24, i64 %25, ptr %26, ptr %27, i64 %28, i64 %29, i64 %30, i64 %31, i64 %32, i64 %33, i64 %34) {
  %36 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } poison, ptr %26, 0
  %37 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %36, ptr %27, 1
  %38 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %37, i64 %28, 2
  %39 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %38, i64 %29, 3, 0
  %40 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %39, i64 %32, 4, 0
  %41 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %40, i64 %30, 3, 1
  %42 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %41, i64 %33, 4, 1
  %43 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %42, i64 %31, 3, 2
  %44 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %43, i64 %34, 4, 2
  %45 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } poison, ptr %13, 0
  %46 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %45, ptr %14, 1
  %47 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %46, i64 %15, 2
  %48 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %47, i64 %16, 3, 0
  %49 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %48, i64 %21, 4, 0
  %50 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %49, i64 %17, 3, 1
  %51 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %50, i64 %22, 4, 1
  %52 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %51, i64 %18, 3, 2
  %53 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %52, i64 %23, 4, 2
  %54 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %53, i64 %19, 3, 3
  %55 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %54, i64 %24, 4, 3
  %56 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %55, i64 %20, 3, 4
  %57 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %56, i64 %25, 4, 4
  %58 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } poison, ptr %0, 0
  %59 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %58, ptr %1, 1
  %60 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %59, i64 %2, 2
  %61 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %60, i64 %3, 3, 0
  %62 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %61, i64 %8, 4, 0
  %63 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %62, i64 %4, 3, 1
  %64 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %63, i64 %9, 4, 1
  %65 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %64, i64 %5, 3, 2
  %66 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %65, i64 %10, 4, 2
  %67 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %66, i64 %6, 3, 3
  %68 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %67, i64 %11, 4, 3
  %69 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %68, i64 %7, 3, 4
  %70 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %69, i64 %12, 4, 4
  %71 = call ptr @malloc(i64 1216)
  %72 = ptrtoint ptr %71 to i64
  %73 = add i64 %72, 63
  %74 = urem i64 %73, 64
  %75 = sub i64 %73, %74
  %76 = inttoptr i64 %75 to ptr
  %77 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } poison, ptr %71, 0
  %78 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %77, ptr %76, 1
  %79 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %78, i64 0, 2
  %80 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %79, i64 1, 3, 0
  %81 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %80, i64 2, 3, 1
  %82 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %81, i64 4, 3, 2
  %83 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %82, i64 6, 3, 3
  %84 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %83, i64 6, 3, 4
  %85 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %84, i64 288, 4, 0
  %86 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %85, i64 144, 4, 1
  %87 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %86, i64 36, 4, 2
  %88 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %87, i64 6, 4, 3
  %89 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %88, i64 1, 4, 4
  br label %90

90:                                               ; preds = %127, %35
  %91 = phi i64 [ %128, %127 ], [ 0, %35 ]
  %92 = icmp slt i64 %91, 1
  br i1 %92, label %93, label %129

93:                                               ; preds = %90
  br label %94

94:                                               ; preds = %125, %93
  %95 = phi i64 [ %126, %125 ], [ 0, %93 ]
  %96 = icmp slt i64 %95, 2
  br i1 %96, label %97, label %127

97:                                               ; preds = %94
  br label %98

98:                                               ; preds = %123, %97
  %99 = phi i64 [ %124, %123 ], [ 0, %97 ]
  %100 = icmp slt i64 %99, 4
  br i1 %100, label %101, label %125

101:                                              ; preds = %98
  br label %102

102:                                              ; preds = %121, %101
  %103 = phi i64 [ %122, %121 ], [ 0, %101 ]
  %104 = icmp slt i64 %103, 6
  br i1 %104, label %105, label %123

105:                                              ; preds = %102
  br label %106

106:                                              ; preds = %109, %105
  %107 = phi i64 [ %120, %109 ], [ 0, %105 ]
  %108 = icmp slt i64 %107, 6
  br i1 %108, label %109, label %121

109:                                              ; preds = %106
  %110 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %89, 1
  %111 = mul nuw nsw i64 %91, 288
  %112 = mul nuw nsw i64 %95, 144
  %113 = add nuw nsw i64 %111, %112
  %114 = mul nuw nsw i64 %99, 36
  %115 = add nuw nsw i64 %113, %114
  %116 = mul nuw nsw i64 %103, 6
  %117 = add nuw nsw i64 %115, %116
  %118 = add nuw nsw i64 %117, %107
  %119 = getelementptr inbounds nuw float, ptr %110, i64 %118
  store float 0.000000e+00, ptr %119, align 4
  %120 = add i64 %107, 1
  br label %106

121:                                              ; preds = %106
  %122 = add i64 %103, 1
  br label %102

123:                                              ; preds = %102
  %124 = add i64 %99, 1
  br label %98

125:                                              ; preds = %98
  %126 = add i64 %95, 1
  br label %94

127:                                              ; preds = %94
  %128 = add i64 %91, 1
  br label %90

129:                                              ; preds = %90
  br label %130

130:                                              ; preds = %222, %129
  %131 = phi i64 [ %223, %222 ], [ 0, %129 ]
  %132 = icmp slt i64 %131, 1
  br i1 %132, label %133, label %224

133:                                              ; preds = %130
  br label %134

134:                                              ; preds = %220, %133
  %135 = phi i64 [ %221, %220 ], [ 0, %133 ]
  %136 = icmp slt i64 %135, 2
  br i1 %136, label %137, label %222

137:                                              ; preds = %134
  br label %138

138:                                              ; preds = %218, %137
  %139 = phi i64 [ %219, %218 ], [ 0, %137 ]
  %140 = icmp slt i64 %139, 4
  br i1 %140, label %141, label %220

141:                                              ; preds = %138
  br label %142

142:                                              ; preds = %216, %141
  %143 = phi i64 [ %217, %216 ], [ 0, %141 ]
  %144 = icmp slt i64 %143, 6
  br i1 %144, label %145, label %218

145:                                              ; preds = %142
  br label %146

146:                                              ; preds = %214, %145
  %147 = phi i64 [ %215, %214 ], [ 0, %145 ]
  %148 = icmp slt i64 %147, 6
  br i1 %148, label %149, label %216

149:                                              ; preds = %146
  br label %150

150:                                              ; preds = %212, %149
  %151 = phi i64 [ %213, %212 ], [ 0, %149 ]
  %152 = icmp slt i64 %151, 3
  br i1 %152, label %153, label %214

153:                                              ; preds = %150
  br label %154

154:                                              ; preds = %210, %153
  %155 = phi i64 [ %211, %210 ], [ 0, %153 ]
  %156 = icmp slt i64 %155, 3
  br i1 %156, label %157, label %212

157:                                              ; preds = %154
  br label %158

158:                                              ; preds = %161, %157
  %159 = phi i64 [ %209, %161 ], [ 0, %157 ]
  %160 = icmp slt i64 %159, 3
  br i1 %160, label %161, label %210

161:                                              ; preds = %158
  %162 = add i64 %143, %155
  %163 = add i64 %147, %159
  %164 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %70, 1
  %165 = mul nuw nsw i64 %131, 384
  %166 = mul nuw nsw i64 %135, 192
  %167 = add nuw nsw i64 %165, %166
  %168 = mul nuw nsw i64 %151, 64
  %169 = add nuw nsw i64 %167, %168
  %170 = mul nuw nsw i64 %162, 8
  %171 = add nuw nsw i64 %169, %170
  %172 = add nuw nsw i64 %171, %163
  %173 = getelementptr inbounds nuw float, ptr %164, i64 %172
  %174 = load float, ptr %173, align 4
  %175 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %57, 1
  %176 = mul nuw nsw i64 %135, 108
  %177 = mul nuw nsw i64 %139, 27
  %178 = add nuw nsw i64 %176, %177
  %179 = mul nuw nsw i64 %151, 9
  %180 = add nuw nsw i64 %178, %179
  %181 = mul nuw nsw i64 %155, 3
  %182 = add nuw nsw i64 %180, %181
  %183 = add nuw nsw i64 %182, %159
  %184 = getelementptr inbounds nuw float, ptr %175, i64 %183
  %185 = load float, ptr %184, align 4
  %186 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %89, 1
  %187 = mul nuw nsw i64 %131, 288
  %188 = mul nuw nsw i64 %135, 144
  %189 = add nuw nsw i64 %187, %188
  %190 = mul nuw nsw i64 %139, 36
  %191 = add nuw nsw i64 %189, %190
  %192 = mul nuw nsw i64 %143, 6
  %193 = add nuw nsw i64 %191, %192
  %194 = add nuw nsw i64 %193, %147
  %195 = getelementptr inbounds nuw float, ptr %186, i64 %194
  %196 = load float, ptr %195, align 4
  %197 = fmul float %174, %185
  %198 = fadd float %196, %197
  %199 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %89, 1
  %200 = mul nuw nsw i64 %131, 288
  %201 = mul nuw nsw i64 %135, 144
  %202 = add nuw nsw i64 %200, %201
  %203 = mul nuw nsw i64 %139, 36
  %204 = add nuw nsw i64 %202, %203
  %205 = mul nuw nsw i64 %143, 6
  %206 = add nuw nsw i64 %204, %205
  %207 = add nuw nsw i64 %206, %147
  %208 = getelementptr inbounds nuw float, ptr %199, i64 %207
  store float %198, ptr %208, align 4
  %209 = add i64 %159, 1
  br label %158

210:                                              ; preds = %158
  %211 = add i64 %155, 1
  br label %154

212:                                              ; preds = %154
  %213 = add i64 %151, 1
  br label %150

214:                                              ; preds = %150
  %215 = add i64 %147, 1
  br label %146

216:                                              ; preds = %146
  %217 = add i64 %143, 1
  br label %142

218:                                              ; preds = %142
  %219 = add i64 %139, 1
  br label %138

220:                                              ; preds = %138
  %221 = add i64 %135, 1
  br label %134

222:                                              ; preds = %134
  %223 = add i64 %131, 1
  br label %130

224:                                              ; preds = %130
  %225 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %89, 0
  %226 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %89, 1
  %227 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %225, 0
  %228 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %227, ptr %226, 1
  %229 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %228, i64 0, 2
  %230 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %229, i64 1, 3, 0
  %231 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %230, i64 288, 4, 0
  %232 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %231, i64 8, 3, 1
  %233 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %232, i64 36, 4, 1
  %234 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %233, i64 6, 3, 2
  %235 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %234, i64 6, 4, 2
  %236 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %235, i64 6, 3, 3
  %237 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %236, i64 1, 4, 3
  %238 = call ptr @malloc(i64 192)
  %239 = ptrtoint ptr %238 to i64
  %240 = add i64 %239, 63
  %241 = urem i64 %240, 64
  %242 = sub i64 %240, %241
  %243 = inttoptr i64 %242 to ptr
  %244 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %238, 0
  %245 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %244, ptr %243, 1
  %246 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %245, i64 0, 2
  %247 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %246, i64 1, 3, 0
  %248 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %247, i64 8, 3, 1
  %249 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %248, i64 2, 3, 2
  %250 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %249, i64 2, 3, 3
  %251 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %250, i64 32, 4, 0
  %252 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %251, i64 4, 4, 1
  %253 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %252, i64 2, 4, 2
  %254 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %253, i64 1, 4, 3
  br label %255

255:                                              ; preds = %284, %224
  %256 = phi i64 [ %285, %284 ], [ 0, %224 ]
  %257 = icmp slt i64 %256, 1
  br i1 %257, label %258, label %286

258:                                              ; preds = %255
  br label %259

259:                                              ; preds = %282, %258
  %260 = phi i64 [ %283, %282 ], [ 0, %258 ]
  %261 = icmp slt i64 %260, 8
  br i1 %261, label %262, label %284

262:                                              ; preds = %259
  br label %263

263:                                              ; preds = %280, %262
  %264 = phi i64 [ %281, %280 ], [ 0, %262 ]
  %265 = icmp slt i64 %264, 2
  br i1 %265, label %266, label %282

266:                                              ; preds = %263
  br label %267

267:                                              ; preds = %270, %266
  %268 = phi i64 [ %279, %270 ], [ 0, %266 ]
  %269 = icmp slt i64 %268, 2
  br i1 %269, label %270, label %280

270:                                              ; preds = %267
  %271 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %254, 1
  %272 = mul nuw nsw i64 %256, 32
  %273 = mul nuw nsw i64 %260, 4
  %274 = add nuw nsw i64 %272, %273
  %275 = mul nuw nsw i64 %264, 2
  %276 = add nuw nsw i64 %274, %275
  %277 = add nuw nsw i64 %276, %268
  %278 = getelementptr inbounds nuw float, ptr %271, i64 %277
  store float 0.000000e+00, ptr %278, align 4
  %279 = add i64 %268, 1
  br label %267

280:                                              ; preds = %267
  %281 = add i64 %264, 1
  br label %263

282:                                              ; preds = %263
  %283 = add i64 %260, 1
  br label %259

284:                                              ; preds = %259
  %285 = add i64 %256, 1
  br label %255

286:                                              ; preds = %255
  br label %287

287:                                              ; preds = %359, %286
  %288 = phi i64 [ %360, %359 ], [ 0, %286 ]
  %289 = icmp slt i64 %288, 1
  br i1 %289, label %290, label %361

290:                                              ; preds = %287
  br label %291

291:                                              ; preds = %357, %290
  %292 = phi i64 [ %358, %357 ], [ 0, %290 ]
  %293 = icmp slt i64 %292, 2
  br i1 %293, label %294, label %359

294:                                              ; preds = %291
  br label %295

295:                                              ; preds = %355, %294
  %296 = phi i64 [ %356, %355 ], [ 0, %294 ]
  %297 = icmp slt i64 %296, 2
  br i1 %297, label %298, label %357

298:                                              ; preds = %295
  br label %299

299:                                              ; preds = %353, %298
  %300 = phi i64 [ %354, %353 ], [ 0, %298 ]
  %301 = icmp slt i64 %300, 8
  br i1 %301, label %302, label %355

302:                                              ; preds = %299
  br label %303

303:                                              ; preds = %351, %302
  %304 = phi i64 [ %352, %351 ], [ 0, %302 ]
  %305 = icmp slt i64 %304, 3
  br i1 %305, label %306, label %353

306:                                              ; preds = %303
  br label %307

307:                                              ; preds = %310, %306
  %308 = phi i64 [ %350, %310 ], [ 0, %306 ]
  %309 = icmp slt i64 %308, 3
  br i1 %309, label %310, label %351

310:                                              ; preds = %307
  %311 = mul nsw i64 %304, 2
  %312 = add i64 %292, %311
  %313 = mul nsw i64 %308, 2
  %314 = add i64 %296, %313
  %315 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %237, 1
  %316 = mul nuw nsw i64 %288, 288
  %317 = mul nuw nsw i64 %300, 36
  %318 = add nuw nsw i64 %316, %317
  %319 = mul nuw nsw i64 %312, 6
  %320 = add nuw nsw i64 %318, %319
  %321 = add nuw nsw i64 %320, %314
  %322 = getelementptr inbounds nuw float, ptr %315, i64 %321
  %323 = load float, ptr %322, align 4
  %324 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %44, 1
  %325 = mul nuw nsw i64 %300, 9
  %326 = mul nuw nsw i64 %304, 3
  %327 = add nuw nsw i64 %325, %326
  %328 = add nuw nsw i64 %327, %308
  %329 = getelementptr inbounds nuw float, ptr %324, i64 %328
  %330 = load float, ptr %329, align 4
  %331 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %254, 1
  %332 = mul nuw nsw i64 %288, 32
  %333 = mul nuw nsw i64 %300, 4
  %334 = add nuw nsw i64 %332, %333
  %335 = mul nuw nsw i64 %292, 2
  %336 = add nuw nsw i64 %334, %335
  %337 = add nuw nsw i64 %336, %296
  %338 = getelementptr inbounds nuw float, ptr %331, i64 %337
  %339 = load float, ptr %338, align 4
  %340 = fmul float %323, %330
  %341 = fadd float %339, %340
  %342 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %254, 1
  %343 = mul nuw nsw i64 %288, 32
  %344 = mul nuw nsw i64 %300, 4
  %345 = add nuw nsw i64 %343, %344
  %346 = mul nuw nsw i64 %292, 2
  %347 = add nuw nsw i64 %345, %346
  %348 = add nuw nsw i64 %347, %296
  %349 = getelementptr inbounds nuw float, ptr %342, i64 %348
  store float %341, ptr %349, align 4
  %350 = add i64 %308, 1
  br label %307

351:                                              ; preds = %307
  %352 = add i64 %304, 1
  br label %303

353:                                              ; preds = %303
  %354 = add i64 %300, 1
  br label %299

355:                                              ; preds = %299
  %356 = add i64 %296, 1
  br label %295

357:                                              ; preds = %295
  %358 = add i64 %292, 1
  br label %291

359:                                              ; preds = %291
  %360 = add i64 %288, 1
  br label %287

361:                                              ; preds = %287
  ret { ptr, ptr, i64, [4 x i64], [4 x i64] } %254
}

define void @_mlir_ciface_groups(ptr %0, ptr %1, ptr %2, ptr %3) {
  %5 = load { ptr, ptr, i64, [5 x i64], [5 x i64] }, ptr %1, align 8
  %6 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %5, 0
  %7 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %5, 1
  %8 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %5, 2
  %9 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %5, 3, 0
  %10 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %5, 3, 1
  %11 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %5, 3, 2
  %12 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %5, 3, 3
  %13 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %5, 3, 4
  %14 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %5, 4, 0
  %15 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %5, 4, 1
  %16 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %5, 4, 2
  %17 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %5, 4, 3
  %18 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %5, 4, 4
  %19 = load { ptr, ptr, i64, [5 x i64], [5 x i64] }, ptr %2, align 8
  %20 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %19, 0
  %21 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %19, 1
  %22 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %19, 2
  %23 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %19, 3, 0
  %24 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %19, 3, 1
  %25 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %19, 3, 2
  %26 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %19, 3, 3
  %27 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %19, 3, 4
  %28 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %19, 4, 0
  %29 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %19, 4, 1
  %30 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %19, 4, 2
  %31 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %19, 4, 3
  %32 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %19, 4, 4
  %33 = load { ptr, ptr, i64, [3 x i64], [3 x i64] }, ptr %3, align 8
  %34 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %33, 0
  %35 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %33, 1
  %36 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %33, 2
  %37 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %33, 3, 0
  %38 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %33, 3, 1
  %39 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %33, 3, 2
  %40 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %33, 4, 0
  %41 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %33, 4, 1
  %42 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %33, 4, 2
  %43 = call { ptr, ptr, i64, [4 x i64], [4 x i64] } @groups(ptr %6, ptr %7, i64 %8, i64 %9, i64 %10, i64 %11, i64 %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17, i64 %18, ptr %20, ptr %21, i64 %22, i64 %23, i64 %24, i64 %25, i64 %26, i64 %27, i64 %28, i64 %29, i64 %30, i64 %31, i64 %32, ptr %34, ptr %35, i64 %36, i64 %37, i64 %38, i64 %39, i64 %40, i64 %41, i64 %42)
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %43, ptr %0, align 8
  ret void
}

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
