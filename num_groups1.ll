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
  %71 = call ptr @malloc(i64 352)
  %72 = ptrtoint ptr %71 to i64
  %73 = add i64 %72, 63
  %74 = urem i64 %73, 64
  %75 = sub i64 %73, %74
  %76 = inttoptr i64 %75 to ptr
  %77 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } poison, ptr %71, 0
  %78 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %77, ptr %76, 1
  %79 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %78, i64 0, 2
  %80 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %79, i64 3, 3, 0
  %81 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %80, i64 3, 3, 1
  %82 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %81, i64 8, 3, 2
  %83 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %82, i64 24, 4, 0
  %84 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %83, i64 8, 4, 1
  %85 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %84, i64 1, 4, 2
  br label %86

86:                                               ; preds = %114, %35
  %87 = phi i64 [ %115, %114 ], [ 0, %35 ]
  %88 = icmp slt i64 %87, 3
  br i1 %88, label %89, label %116

89:                                               ; preds = %86
  br label %90

90:                                               ; preds = %112, %89
  %91 = phi i64 [ %113, %112 ], [ 0, %89 ]
  %92 = icmp slt i64 %91, 3
  br i1 %92, label %93, label %114

93:                                               ; preds = %90
  br label %94

94:                                               ; preds = %97, %93
  %95 = phi i64 [ %111, %97 ], [ 0, %93 ]
  %96 = icmp slt i64 %95, 8
  br i1 %96, label %97, label %112

97:                                               ; preds = %94
  %98 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %44, 1
  %99 = mul nuw nsw i64 %95, 9
  %100 = mul nuw nsw i64 %87, 3
  %101 = add nuw nsw i64 %99, %100
  %102 = add nuw nsw i64 %101, %91
  %103 = getelementptr inbounds nuw float, ptr %98, i64 %102
  %104 = load float, ptr %103, align 4
  %105 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %85, 1
  %106 = mul nuw nsw i64 %87, 24
  %107 = mul nuw nsw i64 %91, 8
  %108 = add nuw nsw i64 %106, %107
  %109 = add nuw nsw i64 %108, %95
  %110 = getelementptr inbounds nuw float, ptr %105, i64 %109
  store float %104, ptr %110, align 4
  %111 = add i64 %95, 1
  br label %94

112:                                              ; preds = %94
  %113 = add i64 %91, 1
  br label %90

114:                                              ; preds = %90
  %115 = add i64 %87, 1
  br label %86

116:                                              ; preds = %86
  %117 = call ptr @malloc(i64 928)
  %118 = ptrtoint ptr %117 to i64
  %119 = add i64 %118, 63
  %120 = urem i64 %119, 64
  %121 = sub i64 %119, %120
  %122 = inttoptr i64 %121 to ptr
  %123 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } poison, ptr %117, 0
  %124 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %123, ptr %122, 1
  %125 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %124, i64 0, 2
  %126 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %125, i64 2, 3, 0
  %127 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %126, i64 3, 3, 1
  %128 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %127, i64 3, 3, 2
  %129 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %128, i64 3, 3, 3
  %130 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %129, i64 4, 3, 4
  %131 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %130, i64 108, 4, 0
  %132 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %131, i64 36, 4, 1
  %133 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %132, i64 12, 4, 2
  %134 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %133, i64 4, 4, 3
  %135 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %134, i64 1, 4, 4
  br label %136

136:                                              ; preds = %184, %116
  %137 = phi i64 [ %185, %184 ], [ 0, %116 ]
  %138 = icmp slt i64 %137, 2
  br i1 %138, label %139, label %186

139:                                              ; preds = %136
  br label %140

140:                                              ; preds = %182, %139
  %141 = phi i64 [ %183, %182 ], [ 0, %139 ]
  %142 = icmp slt i64 %141, 3
  br i1 %142, label %143, label %184

143:                                              ; preds = %140
  br label %144

144:                                              ; preds = %180, %143
  %145 = phi i64 [ %181, %180 ], [ 0, %143 ]
  %146 = icmp slt i64 %145, 3
  br i1 %146, label %147, label %182

147:                                              ; preds = %144
  br label %148

148:                                              ; preds = %178, %147
  %149 = phi i64 [ %179, %178 ], [ 0, %147 ]
  %150 = icmp slt i64 %149, 3
  br i1 %150, label %151, label %180

151:                                              ; preds = %148
  br label %152

152:                                              ; preds = %155, %151
  %153 = phi i64 [ %177, %155 ], [ 0, %151 ]
  %154 = icmp slt i64 %153, 4
  br i1 %154, label %155, label %178

155:                                              ; preds = %152
  %156 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %57, 1
  %157 = mul nuw nsw i64 %137, 108
  %158 = mul nuw nsw i64 %153, 27
  %159 = add nuw nsw i64 %157, %158
  %160 = mul nuw nsw i64 %149, 9
  %161 = add nuw nsw i64 %159, %160
  %162 = mul nuw nsw i64 %141, 3
  %163 = add nuw nsw i64 %161, %162
  %164 = add nuw nsw i64 %163, %145
  %165 = getelementptr inbounds nuw float, ptr %156, i64 %164
  %166 = load float, ptr %165, align 4
  %167 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %135, 1
  %168 = mul nuw nsw i64 %137, 108
  %169 = mul nuw nsw i64 %141, 36
  %170 = add nuw nsw i64 %168, %169
  %171 = mul nuw nsw i64 %145, 12
  %172 = add nuw nsw i64 %170, %171
  %173 = mul nuw nsw i64 %149, 4
  %174 = add nuw nsw i64 %172, %173
  %175 = add nuw nsw i64 %174, %153
  %176 = getelementptr inbounds nuw float, ptr %167, i64 %175
  store float %166, ptr %176, align 4
  %177 = add i64 %153, 1
  br label %152

178:                                              ; preds = %152
  %179 = add i64 %149, 1
  br label %148

180:                                              ; preds = %148
  %181 = add i64 %145, 1
  br label %144

182:                                              ; preds = %144
  %183 = add i64 %141, 1
  br label %140

184:                                              ; preds = %140
  %185 = add i64 %137, 1
  br label %136

186:                                              ; preds = %136
  %187 = call ptr @malloc(i64 1600)
  %188 = ptrtoint ptr %187 to i64
  %189 = add i64 %188, 63
  %190 = urem i64 %189, 64
  %191 = sub i64 %189, %190
  %192 = inttoptr i64 %191 to ptr
  %193 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } poison, ptr %187, 0
  %194 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %193, ptr %192, 1
  %195 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %194, i64 0, 2
  %196 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %195, i64 1, 3, 0
  %197 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %196, i64 8, 3, 1
  %198 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %197, i64 8, 3, 2
  %199 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %198, i64 2, 3, 3
  %200 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %199, i64 3, 3, 4
  %201 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %200, i64 384, 4, 0
  %202 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %201, i64 48, 4, 1
  %203 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %202, i64 6, 4, 2
  %204 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %203, i64 3, 4, 3
  %205 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %204, i64 1, 4, 4
  br label %206

206:                                              ; preds = %254, %186
  %207 = phi i64 [ %255, %254 ], [ 0, %186 ]
  %208 = icmp slt i64 %207, 1
  br i1 %208, label %209, label %256

209:                                              ; preds = %206
  br label %210

210:                                              ; preds = %252, %209
  %211 = phi i64 [ %253, %252 ], [ 0, %209 ]
  %212 = icmp slt i64 %211, 8
  br i1 %212, label %213, label %254

213:                                              ; preds = %210
  br label %214

214:                                              ; preds = %250, %213
  %215 = phi i64 [ %251, %250 ], [ 0, %213 ]
  %216 = icmp slt i64 %215, 8
  br i1 %216, label %217, label %252

217:                                              ; preds = %214
  br label %218

218:                                              ; preds = %248, %217
  %219 = phi i64 [ %249, %248 ], [ 0, %217 ]
  %220 = icmp slt i64 %219, 2
  br i1 %220, label %221, label %250

221:                                              ; preds = %218
  br label %222

222:                                              ; preds = %225, %221
  %223 = phi i64 [ %247, %225 ], [ 0, %221 ]
  %224 = icmp slt i64 %223, 3
  br i1 %224, label %225, label %248

225:                                              ; preds = %222
  %226 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %70, 1
  %227 = mul nuw nsw i64 %207, 384
  %228 = mul nuw nsw i64 %219, 192
  %229 = add nuw nsw i64 %227, %228
  %230 = mul nuw nsw i64 %223, 64
  %231 = add nuw nsw i64 %229, %230
  %232 = mul nuw nsw i64 %211, 8
  %233 = add nuw nsw i64 %231, %232
  %234 = add nuw nsw i64 %233, %215
  %235 = getelementptr inbounds nuw float, ptr %226, i64 %234
  %236 = load float, ptr %235, align 4
  %237 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %205, 1
  %238 = mul nuw nsw i64 %207, 384
  %239 = mul nuw nsw i64 %211, 48
  %240 = add nuw nsw i64 %238, %239
  %241 = mul nuw nsw i64 %215, 6
  %242 = add nuw nsw i64 %240, %241
  %243 = mul nuw nsw i64 %219, 3
  %244 = add nuw nsw i64 %242, %243
  %245 = add nuw nsw i64 %244, %223
  %246 = getelementptr inbounds nuw float, ptr %237, i64 %245
  store float %236, ptr %246, align 4
  %247 = add i64 %223, 1
  br label %222

248:                                              ; preds = %222
  %249 = add i64 %219, 1
  br label %218

250:                                              ; preds = %218
  %251 = add i64 %215, 1
  br label %214

252:                                              ; preds = %214
  %253 = add i64 %211, 1
  br label %210

254:                                              ; preds = %210
  %255 = add i64 %207, 1
  br label %206

256:                                              ; preds = %206
  %257 = call ptr @malloc(i64 1216)
  %258 = ptrtoint ptr %257 to i64
  %259 = add i64 %258, 63
  %260 = urem i64 %259, 64
  %261 = sub i64 %259, %260
  %262 = inttoptr i64 %261 to ptr
  %263 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } poison, ptr %257, 0
  %264 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %263, ptr %262, 1
  %265 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %264, i64 0, 2
  %266 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %265, i64 1, 3, 0
  %267 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %266, i64 6, 3, 1
  %268 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %267, i64 6, 3, 2
  %269 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %268, i64 2, 3, 3
  %270 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %269, i64 4, 3, 4
  %271 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %270, i64 288, 4, 0
  %272 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %271, i64 48, 4, 1
  %273 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %272, i64 8, 4, 2
  %274 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %273, i64 4, 4, 3
  %275 = insertvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %274, i64 1, 4, 4
  br label %276

276:                                              ; preds = %313, %256
  %277 = phi i64 [ %314, %313 ], [ 0, %256 ]
  %278 = icmp slt i64 %277, 1
  br i1 %278, label %279, label %315

279:                                              ; preds = %276
  br label %280

280:                                              ; preds = %311, %279
  %281 = phi i64 [ %312, %311 ], [ 0, %279 ]
  %282 = icmp slt i64 %281, 6
  br i1 %282, label %283, label %313

283:                                              ; preds = %280
  br label %284

284:                                              ; preds = %309, %283
  %285 = phi i64 [ %310, %309 ], [ 0, %283 ]
  %286 = icmp slt i64 %285, 6
  br i1 %286, label %287, label %311

287:                                              ; preds = %284
  br label %288

288:                                              ; preds = %307, %287
  %289 = phi i64 [ %308, %307 ], [ 0, %287 ]
  %290 = icmp slt i64 %289, 2
  br i1 %290, label %291, label %309

291:                                              ; preds = %288
  br label %292

292:                                              ; preds = %295, %291
  %293 = phi i64 [ %306, %295 ], [ 0, %291 ]
  %294 = icmp slt i64 %293, 4
  br i1 %294, label %295, label %307

295:                                              ; preds = %292
  %296 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %275, 1
  %297 = mul nuw nsw i64 %277, 288
  %298 = mul nuw nsw i64 %281, 48
  %299 = add nuw nsw i64 %297, %298
  %300 = mul nuw nsw i64 %285, 8
  %301 = add nuw nsw i64 %299, %300
  %302 = mul nuw nsw i64 %289, 4
  %303 = add nuw nsw i64 %301, %302
  %304 = add nuw nsw i64 %303, %293
  %305 = getelementptr inbounds nuw float, ptr %296, i64 %304
  store float 0.000000e+00, ptr %305, align 4
  %306 = add i64 %293, 1
  br label %292

307:                                              ; preds = %292
  %308 = add i64 %289, 1
  br label %288

309:                                              ; preds = %288
  %310 = add i64 %285, 1
  br label %284

311:                                              ; preds = %284
  %312 = add i64 %281, 1
  br label %280

313:                                              ; preds = %280
  %314 = add i64 %277, 1
  br label %276

315:                                              ; preds = %276
  br label %316

316:                                              ; preds = %408, %315
  %317 = phi i64 [ %409, %408 ], [ 0, %315 ]
  %318 = icmp slt i64 %317, 1
  br i1 %318, label %319, label %410

319:                                              ; preds = %316
  br label %320

320:                                              ; preds = %406, %319
  %321 = phi i64 [ %407, %406 ], [ 0, %319 ]
  %322 = icmp slt i64 %321, 6
  br i1 %322, label %323, label %408

323:                                              ; preds = %320
  br label %324

324:                                              ; preds = %404, %323
  %325 = phi i64 [ %405, %404 ], [ 0, %323 ]
  %326 = icmp slt i64 %325, 6
  br i1 %326, label %327, label %406

327:                                              ; preds = %324
  br label %328

328:                                              ; preds = %402, %327
  %329 = phi i64 [ %403, %402 ], [ 0, %327 ]
  %330 = icmp slt i64 %329, 2
  br i1 %330, label %331, label %404

331:                                              ; preds = %328
  br label %332

332:                                              ; preds = %400, %331
  %333 = phi i64 [ %401, %400 ], [ 0, %331 ]
  %334 = icmp slt i64 %333, 4
  br i1 %334, label %335, label %402

335:                                              ; preds = %332
  br label %336

336:                                              ; preds = %398, %335
  %337 = phi i64 [ %399, %398 ], [ 0, %335 ]
  %338 = icmp slt i64 %337, 3
  br i1 %338, label %339, label %400

339:                                              ; preds = %336
  br label %340

340:                                              ; preds = %396, %339
  %341 = phi i64 [ %397, %396 ], [ 0, %339 ]
  %342 = icmp slt i64 %341, 3
  br i1 %342, label %343, label %398

343:                                              ; preds = %340
  br label %344

344:                                              ; preds = %347, %343
  %345 = phi i64 [ %395, %347 ], [ 0, %343 ]
  %346 = icmp slt i64 %345, 3
  br i1 %346, label %347, label %396

347:                                              ; preds = %344
  %348 = add i64 %321, %337
  %349 = add i64 %325, %341
  %350 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %205, 1
  %351 = mul nuw nsw i64 %317, 384
  %352 = mul nuw nsw i64 %348, 48
  %353 = add nuw nsw i64 %351, %352
  %354 = mul nuw nsw i64 %349, 6
  %355 = add nuw nsw i64 %353, %354
  %356 = mul nuw nsw i64 %329, 3
  %357 = add nuw nsw i64 %355, %356
  %358 = add nuw nsw i64 %357, %345
  %359 = getelementptr inbounds nuw float, ptr %350, i64 %358
  %360 = load float, ptr %359, align 4
  %361 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %135, 1
  %362 = mul nuw nsw i64 %329, 108
  %363 = mul nuw nsw i64 %337, 36
  %364 = add nuw nsw i64 %362, %363
  %365 = mul nuw nsw i64 %341, 12
  %366 = add nuw nsw i64 %364, %365
  %367 = mul nuw nsw i64 %345, 4
  %368 = add nuw nsw i64 %366, %367
  %369 = add nuw nsw i64 %368, %333
  %370 = getelementptr inbounds nuw float, ptr %361, i64 %369
  %371 = load float, ptr %370, align 4
  %372 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %275, 1
  %373 = mul nuw nsw i64 %317, 288
  %374 = mul nuw nsw i64 %321, 48
  %375 = add nuw nsw i64 %373, %374
  %376 = mul nuw nsw i64 %325, 8
  %377 = add nuw nsw i64 %375, %376
  %378 = mul nuw nsw i64 %329, 4
  %379 = add nuw nsw i64 %377, %378
  %380 = add nuw nsw i64 %379, %333
  %381 = getelementptr inbounds nuw float, ptr %372, i64 %380
  %382 = load float, ptr %381, align 4
  %383 = fmul float %360, %371
  %384 = fadd float %382, %383
  %385 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %275, 1
  %386 = mul nuw nsw i64 %317, 288
  %387 = mul nuw nsw i64 %321, 48
  %388 = add nuw nsw i64 %386, %387
  %389 = mul nuw nsw i64 %325, 8
  %390 = add nuw nsw i64 %388, %389
  %391 = mul nuw nsw i64 %329, 4
  %392 = add nuw nsw i64 %390, %391
  %393 = add nuw nsw i64 %392, %333
  %394 = getelementptr inbounds nuw float, ptr %385, i64 %393
  store float %384, ptr %394, align 4
  %395 = add i64 %345, 1
  br label %344

396:                                              ; preds = %344
  %397 = add i64 %341, 1
  br label %340

398:                                              ; preds = %340
  %399 = add i64 %337, 1
  br label %336

400:                                              ; preds = %336
  %401 = add i64 %333, 1
  br label %332

402:                                              ; preds = %332
  %403 = add i64 %329, 1
  br label %328

404:                                              ; preds = %328
  %405 = add i64 %325, 1
  br label %324

406:                                              ; preds = %324
  %407 = add i64 %321, 1
  br label %320

408:                                              ; preds = %320
  %409 = add i64 %317, 1
  br label %316

410:                                              ; preds = %316
  %411 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %275, 0
  %412 = extractvalue { ptr, ptr, i64, [5 x i64], [5 x i64] } %275, 1
  %413 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %411, 0
  %414 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %413, ptr %412, 1
  %415 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %414, i64 0, 2
  %416 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %415, i64 1, 3, 0
  %417 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %416, i64 288, 4, 0
  %418 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %417, i64 6, 3, 1
  %419 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %418, i64 48, 4, 1
  %420 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %419, i64 6, 3, 2
  %421 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %420, i64 8, 4, 2
  %422 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %421, i64 8, 3, 3
  %423 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %422, i64 1, 4, 3
  %424 = call ptr @malloc(i64 192)
  %425 = ptrtoint ptr %424 to i64
  %426 = add i64 %425, 63
  %427 = urem i64 %426, 64
  %428 = sub i64 %426, %427
  %429 = inttoptr i64 %428 to ptr
  %430 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %424, 0
  %431 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %430, ptr %429, 1
  %432 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %431, i64 0, 2
  %433 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %432, i64 1, 3, 0
  %434 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %433, i64 2, 3, 1
  %435 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %434, i64 2, 3, 2
  %436 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %435, i64 8, 3, 3
  %437 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %436, i64 32, 4, 0
  %438 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %437, i64 16, 4, 1
  %439 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %438, i64 8, 4, 2
  %440 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %439, i64 1, 4, 3
  br label %441

441:                                              ; preds = %470, %410
  %442 = phi i64 [ %471, %470 ], [ 0, %410 ]
  %443 = icmp slt i64 %442, 1
  br i1 %443, label %444, label %472

444:                                              ; preds = %441
  br label %445

445:                                              ; preds = %468, %444
  %446 = phi i64 [ %469, %468 ], [ 0, %444 ]
  %447 = icmp slt i64 %446, 2
  br i1 %447, label %448, label %470

448:                                              ; preds = %445
  br label %449

449:                                              ; preds = %466, %448
  %450 = phi i64 [ %467, %466 ], [ 0, %448 ]
  %451 = icmp slt i64 %450, 2
  br i1 %451, label %452, label %468

452:                                              ; preds = %449
  br label %453

453:                                              ; preds = %456, %452
  %454 = phi i64 [ %465, %456 ], [ 0, %452 ]
  %455 = icmp slt i64 %454, 8
  br i1 %455, label %456, label %466

456:                                              ; preds = %453
  %457 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %440, 1
  %458 = mul nuw nsw i64 %442, 32
  %459 = mul nuw nsw i64 %446, 16
  %460 = add nuw nsw i64 %458, %459
  %461 = mul nuw nsw i64 %450, 8
  %462 = add nuw nsw i64 %460, %461
  %463 = add nuw nsw i64 %462, %454
  %464 = getelementptr inbounds nuw float, ptr %457, i64 %463
  store float 0.000000e+00, ptr %464, align 4
  %465 = add i64 %454, 1
  br label %453

466:                                              ; preds = %453
  %467 = add i64 %450, 1
  br label %449

468:                                              ; preds = %449
  %469 = add i64 %446, 1
  br label %445

470:                                              ; preds = %445
  %471 = add i64 %442, 1
  br label %441

472:                                              ; preds = %441
  br label %473

473:                                              ; preds = %545, %472
  %474 = phi i64 [ %546, %545 ], [ 0, %472 ]
  %475 = icmp slt i64 %474, 1
  br i1 %475, label %476, label %547

476:                                              ; preds = %473
  br label %477

477:                                              ; preds = %543, %476
  %478 = phi i64 [ %544, %543 ], [ 0, %476 ]
  %479 = icmp slt i64 %478, 2
  br i1 %479, label %480, label %545

480:                                              ; preds = %477
  br label %481

481:                                              ; preds = %541, %480
  %482 = phi i64 [ %542, %541 ], [ 0, %480 ]
  %483 = icmp slt i64 %482, 2
  br i1 %483, label %484, label %543

484:                                              ; preds = %481
  br label %485

485:                                              ; preds = %539, %484
  %486 = phi i64 [ %540, %539 ], [ 0, %484 ]
  %487 = icmp slt i64 %486, 8
  br i1 %487, label %488, label %541

488:                                              ; preds = %485
  br label %489

489:                                              ; preds = %537, %488
  %490 = phi i64 [ %538, %537 ], [ 0, %488 ]
  %491 = icmp slt i64 %490, 3
  br i1 %491, label %492, label %539

492:                                              ; preds = %489
  br label %493

493:                                              ; preds = %496, %492
  %494 = phi i64 [ %536, %496 ], [ 0, %492 ]
  %495 = icmp slt i64 %494, 3
  br i1 %495, label %496, label %537

496:                                              ; preds = %493
  %497 = mul nsw i64 %490, 2
  %498 = add i64 %478, %497
  %499 = mul nsw i64 %494, 2
  %500 = add i64 %482, %499
  %501 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %423, 1
  %502 = mul nuw nsw i64 %474, 288
  %503 = mul nuw nsw i64 %498, 48
  %504 = add nuw nsw i64 %502, %503
  %505 = mul nuw nsw i64 %500, 8
  %506 = add nuw nsw i64 %504, %505
  %507 = add nuw nsw i64 %506, %486
  %508 = getelementptr inbounds nuw float, ptr %501, i64 %507
  %509 = load float, ptr %508, align 4
  %510 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %85, 1
  %511 = mul nuw nsw i64 %490, 24
  %512 = mul nuw nsw i64 %494, 8
  %513 = add nuw nsw i64 %511, %512
  %514 = add nuw nsw i64 %513, %486
  %515 = getelementptr inbounds nuw float, ptr %510, i64 %514
  %516 = load float, ptr %515, align 4
  %517 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %440, 1
  %518 = mul nuw nsw i64 %474, 32
  %519 = mul nuw nsw i64 %478, 16
  %520 = add nuw nsw i64 %518, %519
  %521 = mul nuw nsw i64 %482, 8
  %522 = add nuw nsw i64 %520, %521
  %523 = add nuw nsw i64 %522, %486
  %524 = getelementptr inbounds nuw float, ptr %517, i64 %523
  %525 = load float, ptr %524, align 4
  %526 = fmul float %509, %516
  %527 = fadd float %525, %526
  %528 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %440, 1
  %529 = mul nuw nsw i64 %474, 32
  %530 = mul nuw nsw i64 %478, 16
  %531 = add nuw nsw i64 %529, %530
  %532 = mul nuw nsw i64 %482, 8
  %533 = add nuw nsw i64 %531, %532
  %534 = add nuw nsw i64 %533, %486
  %535 = getelementptr inbounds nuw float, ptr %528, i64 %534
  store float %527, ptr %535, align 4
  %536 = add i64 %494, 1
  br label %493

537:                                              ; preds = %493
  %538 = add i64 %490, 1
  br label %489

539:                                              ; preds = %489
  %540 = add i64 %486, 1
  br label %485

541:                                              ; preds = %485
  %542 = add i64 %482, 1
  br label %481

543:                                              ; preds = %481
  %544 = add i64 %478, 1
  br label %477

545:                                              ; preds = %477
  %546 = add i64 %474, 1
  br label %473

547:                                              ; preds = %473
  %548 = call ptr @malloc(i64 192)
  %549 = ptrtoint ptr %548 to i64
  %550 = add i64 %549, 63
  %551 = urem i64 %550, 64
  %552 = sub i64 %550, %551
  %553 = inttoptr i64 %552 to ptr
  %554 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %548, 0
  %555 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %554, ptr %553, 1
  %556 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %555, i64 0, 2
  %557 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %556, i64 1, 3, 0
  %558 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %557, i64 8, 3, 1
  %559 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %558, i64 2, 3, 2
  %560 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %559, i64 2, 3, 3
  %561 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %560, i64 32, 4, 0
  %562 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %561, i64 4, 4, 1
  %563 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %562, i64 2, 4, 2
  %564 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %563, i64 1, 4, 3
  br label %565

565:                                              ; preds = %603, %547
  %566 = phi i64 [ %604, %603 ], [ 0, %547 ]
  %567 = icmp slt i64 %566, 1
  br i1 %567, label %568, label %605

568:                                              ; preds = %565
  br label %569

569:                                              ; preds = %601, %568
  %570 = phi i64 [ %602, %601 ], [ 0, %568 ]
  %571 = icmp slt i64 %570, 8
  br i1 %571, label %572, label %603

572:                                              ; preds = %569
  br label %573

573:                                              ; preds = %599, %572
  %574 = phi i64 [ %600, %599 ], [ 0, %572 ]
  %575 = icmp slt i64 %574, 2
  br i1 %575, label %576, label %601

576:                                              ; preds = %573
  br label %577

577:                                              ; preds = %580, %576
  %578 = phi i64 [ %598, %580 ], [ 0, %576 ]
  %579 = icmp slt i64 %578, 2
  br i1 %579, label %580, label %599

580:                                              ; preds = %577
  %581 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %440, 1
  %582 = mul nuw nsw i64 %566, 32
  %583 = mul nuw nsw i64 %574, 16
  %584 = add nuw nsw i64 %582, %583
  %585 = mul nuw nsw i64 %578, 8
  %586 = add nuw nsw i64 %584, %585
  %587 = add nuw nsw i64 %586, %570
  %588 = getelementptr inbounds nuw float, ptr %581, i64 %587
  %589 = load float, ptr %588, align 4
  %590 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %564, 1
  %591 = mul nuw nsw i64 %566, 32
  %592 = mul nuw nsw i64 %570, 4
  %593 = add nuw nsw i64 %591, %592
  %594 = mul nuw nsw i64 %574, 2
  %595 = add nuw nsw i64 %593, %594
  %596 = add nuw nsw i64 %595, %578
  %597 = getelementptr inbounds nuw float, ptr %590, i64 %596
  store float %589, ptr %597, align 4
  %598 = add i64 %578, 1
  br label %577

599:                                              ; preds = %577
  %600 = add i64 %574, 1
  br label %573

601:                                              ; preds = %573
  %602 = add i64 %570, 1
  br label %569

603:                                              ; preds = %569
  %604 = add i64 %566, 1
  br label %565

605:                                              ; preds = %565
  ret { ptr, ptr, i64, [4 x i64], [4 x i64] } %564
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
