; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare ptr @malloc(i64)

define { ptr, ptr, i64, [4 x i64], [4 x i64] } @borders(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10, ptr %11, ptr %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17, i64 %18, i64 %19, i64 %20, i64 %21, i1 %22) {
  %24 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %11, 0
  %25 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %24, ptr %12, 1
  %26 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %25, i64 %13, 2
  %27 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %26, i64 %14, 3, 0
  %28 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %27, i64 %18, 4, 0
  %29 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %28, i64 %15, 3, 1
  %30 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, i64 %19, 4, 1
  %31 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %30, i64 %16, 3, 2
  %32 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %31, i64 %20, 4, 2
  %33 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %32, i64 %17, 3, 3
  %34 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %33, i64 %21, 4, 3
  %35 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %0, 0
  %36 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %35, ptr %1, 1
  %37 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, i64 %2, 2
  %38 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %37, i64 %3, 3, 0
  %39 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %38, i64 %7, 4, 0
  %40 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %39, i64 %4, 3, 1
  %41 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %40, i64 %8, 4, 1
  %42 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %41, i64 %5, 3, 2
  %43 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %42, i64 %9, 4, 2
  %44 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %43, i64 %6, 3, 3
  %45 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, i64 %10, 4, 3
  %46 = call ptr @malloc(i64 160)
  %47 = ptrtoint ptr %46 to i64
  %48 = add i64 %47, 63
  %49 = urem i64 %48, 64
  %50 = sub i64 %48, %49
  %51 = inttoptr i64 %50 to ptr
  %52 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %46, 0
  %53 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %52, ptr %51, 1
  %54 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %53, i64 0, 2
  %55 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %54, i64 1, 3, 0
  %56 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %55, i64 1, 3, 1
  %57 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %56, i64 3, 3, 2
  %58 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %57, i64 8, 3, 3
  %59 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %58, i64 24, 4, 0
  %60 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %59, i64 24, 4, 1
  %61 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %60, i64 8, 4, 2
  %62 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, i64 1, 4, 3
  br label %63

63:                                               ; preds = %99, %23
  %64 = phi i64 [ %100, %99 ], [ 0, %23 ]
  %65 = icmp slt i64 %64, 1
  br i1 %65, label %66, label %101

66:                                               ; preds = %63
  br label %67

67:                                               ; preds = %97, %66
  %68 = phi i64 [ %98, %97 ], [ 0, %66 ]
  %69 = icmp slt i64 %68, 1
  br i1 %69, label %70, label %99

70:                                               ; preds = %67
  br label %71

71:                                               ; preds = %95, %70
  %72 = phi i64 [ %96, %95 ], [ 0, %70 ]
  %73 = icmp slt i64 %72, 3
  br i1 %73, label %74, label %97

74:                                               ; preds = %71
  br label %75

75:                                               ; preds = %78, %74
  %76 = phi i64 [ %94, %78 ], [ 0, %74 ]
  %77 = icmp slt i64 %76, 8
  br i1 %77, label %78, label %95

78:                                               ; preds = %75
  %79 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %34, 1
  %80 = mul nuw nsw i64 %76, 3
  %81 = add nuw nsw i64 %80, %72
  %82 = add nuw nsw i64 %81, %64
  %83 = add nuw nsw i64 %82, %68
  %84 = getelementptr inbounds nuw float, ptr %79, i64 %83
  %85 = load float, ptr %84, align 4
  %86 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %62, 1
  %87 = mul nuw nsw i64 %64, 24
  %88 = mul nuw nsw i64 %68, 24
  %89 = add nuw nsw i64 %87, %88
  %90 = mul nuw nsw i64 %72, 8
  %91 = add nuw nsw i64 %89, %90
  %92 = add nuw nsw i64 %91, %76
  %93 = getelementptr inbounds nuw float, ptr %86, i64 %92
  store float %85, ptr %93, align 4
  %94 = add i64 %76, 1
  br label %75

95:                                               ; preds = %75
  %96 = add i64 %72, 1
  br label %71

97:                                               ; preds = %71
  %98 = add i64 %68, 1
  br label %67

99:                                               ; preds = %67
  %100 = add i64 %64, 1
  br label %63

101:                                              ; preds = %63
  %102 = call ptr @malloc(i64 256)
  %103 = ptrtoint ptr %102 to i64
  %104 = add i64 %103, 63
  %105 = urem i64 %104, 64
  %106 = sub i64 %104, %105
  %107 = inttoptr i64 %106 to ptr
  %108 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %102, 0
  %109 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %108, ptr %107, 1
  %110 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %109, i64 0, 2
  %111 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %110, i64 1, 3, 0
  %112 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %111, i64 4, 3, 1
  %113 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %112, i64 4, 3, 2
  %114 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %113, i64 3, 3, 3
  %115 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %114, i64 48, 4, 0
  %116 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %115, i64 12, 4, 1
  %117 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %116, i64 3, 4, 2
  %118 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %117, i64 1, 4, 3
  br label %119

119:                                              ; preds = %157, %101
  %120 = phi i64 [ %158, %157 ], [ 0, %101 ]
  %121 = icmp slt i64 %120, 1
  br i1 %121, label %122, label %159

122:                                              ; preds = %119
  br label %123

123:                                              ; preds = %155, %122
  %124 = phi i64 [ %156, %155 ], [ 0, %122 ]
  %125 = icmp slt i64 %124, 4
  br i1 %125, label %126, label %157

126:                                              ; preds = %123
  br label %127

127:                                              ; preds = %153, %126
  %128 = phi i64 [ %154, %153 ], [ 0, %126 ]
  %129 = icmp slt i64 %128, 4
  br i1 %129, label %130, label %155

130:                                              ; preds = %127
  br label %131

131:                                              ; preds = %134, %130
  %132 = phi i64 [ %152, %134 ], [ 0, %130 ]
  %133 = icmp slt i64 %132, 3
  br i1 %133, label %134, label %153

134:                                              ; preds = %131
  %135 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %45, 1
  %136 = mul nuw nsw i64 %120, 48
  %137 = mul nuw nsw i64 %132, 16
  %138 = add nuw nsw i64 %136, %137
  %139 = mul nuw nsw i64 %124, 4
  %140 = add nuw nsw i64 %138, %139
  %141 = add nuw nsw i64 %140, %128
  %142 = getelementptr inbounds nuw float, ptr %135, i64 %141
  %143 = load float, ptr %142, align 4
  %144 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %118, 1
  %145 = mul nuw nsw i64 %120, 48
  %146 = mul nuw nsw i64 %124, 12
  %147 = add nuw nsw i64 %145, %146
  %148 = mul nuw nsw i64 %128, 3
  %149 = add nuw nsw i64 %147, %148
  %150 = add nuw nsw i64 %149, %132
  %151 = getelementptr inbounds nuw float, ptr %144, i64 %150
  store float %143, ptr %151, align 4
  %152 = add i64 %132, 1
  br label %131

153:                                              ; preds = %131
  %154 = add i64 %128, 1
  br label %127

155:                                              ; preds = %127
  %156 = add i64 %124, 1
  br label %123

157:                                              ; preds = %123
  %158 = add i64 %120, 1
  br label %119

159:                                              ; preds = %119
  %160 = call ptr @malloc(i64 256)
  %161 = ptrtoint ptr %160 to i64
  %162 = add i64 %161, 63
  %163 = urem i64 %162, 64
  %164 = sub i64 %162, %163
  %165 = inttoptr i64 %164 to ptr
  %166 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %160, 0
  %167 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %166, ptr %165, 1
  %168 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %167, i64 0, 2
  %169 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %168, i64 1, 3, 0
  %170 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %169, i64 4, 3, 1
  %171 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %170, i64 4, 3, 2
  %172 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %171, i64 3, 3, 3
  %173 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %172, i64 48, 4, 0
  %174 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %173, i64 12, 4, 1
  %175 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %174, i64 3, 4, 2
  %176 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %175, i64 1, 4, 3
  br label %177

177:                                              ; preds = %216, %159
  %178 = phi i64 [ %217, %216 ], [ 0, %159 ]
  %179 = icmp slt i64 %178, 1
  br i1 %179, label %180, label %218

180:                                              ; preds = %177
  br label %181

181:                                              ; preds = %214, %180
  %182 = phi i64 [ %215, %214 ], [ 0, %180 ]
  %183 = icmp slt i64 %182, 4
  br i1 %183, label %184, label %216

184:                                              ; preds = %181
  br label %185

185:                                              ; preds = %212, %184
  %186 = phi i64 [ %213, %212 ], [ 0, %184 ]
  %187 = icmp slt i64 %186, 4
  br i1 %187, label %188, label %214

188:                                              ; preds = %185
  br label %189

189:                                              ; preds = %192, %188
  %190 = phi i64 [ %211, %192 ], [ 0, %188 ]
  %191 = icmp slt i64 %190, 3
  br i1 %191, label %192, label %212

192:                                              ; preds = %189
  %193 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %118, 1
  %194 = mul nuw nsw i64 %178, 48
  %195 = mul nuw nsw i64 %182, 12
  %196 = add nuw nsw i64 %194, %195
  %197 = mul nuw nsw i64 %186, 3
  %198 = add nuw nsw i64 %196, %197
  %199 = add nuw nsw i64 %198, %190
  %200 = getelementptr inbounds nuw float, ptr %193, i64 %199
  %201 = load float, ptr %200, align 4
  %202 = fsub float %201, 5.000000e-01
  %203 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %176, 1
  %204 = mul nuw nsw i64 %178, 48
  %205 = mul nuw nsw i64 %182, 12
  %206 = add nuw nsw i64 %204, %205
  %207 = mul nuw nsw i64 %186, 3
  %208 = add nuw nsw i64 %206, %207
  %209 = add nuw nsw i64 %208, %190
  %210 = getelementptr inbounds nuw float, ptr %203, i64 %209
  store float %202, ptr %210, align 4
  %211 = add i64 %190, 1
  br label %189

212:                                              ; preds = %189
  %213 = add i64 %186, 1
  br label %185

214:                                              ; preds = %185
  %215 = add i64 %182, 1
  br label %181

216:                                              ; preds = %181
  %217 = add i64 %178, 1
  br label %177

218:                                              ; preds = %177
  %219 = call ptr @malloc(i64 576)
  %220 = ptrtoint ptr %219 to i64
  %221 = add i64 %220, 63
  %222 = urem i64 %221, 64
  %223 = sub i64 %221, %222
  %224 = inttoptr i64 %223 to ptr
  %225 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %219, 0
  %226 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %225, ptr %224, 1
  %227 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %226, i64 0, 2
  %228 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %227, i64 1, 3, 0
  %229 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %228, i64 4, 3, 1
  %230 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %229, i64 4, 3, 2
  %231 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %230, i64 8, 3, 3
  %232 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %231, i64 128, 4, 0
  %233 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %232, i64 32, 4, 1
  %234 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %233, i64 8, 4, 2
  %235 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %234, i64 1, 4, 3
  %236 = call ptr @malloc(i64 576)
  %237 = ptrtoint ptr %236 to i64
  %238 = add i64 %237, 63
  %239 = urem i64 %238, 64
  %240 = sub i64 %238, %239
  %241 = inttoptr i64 %240 to ptr
  %242 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %236, 0
  %243 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %242, ptr %241, 1
  %244 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %243, i64 0, 2
  %245 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %244, i64 1, 3, 0
  %246 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %245, i64 4, 3, 1
  %247 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %246, i64 4, 3, 2
  %248 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %247, i64 8, 3, 3
  %249 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %248, i64 128, 4, 0
  %250 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %249, i64 32, 4, 1
  %251 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %250, i64 8, 4, 2
  %252 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %251, i64 1, 4, 3
  br label %253

253:                                              ; preds = %282, %218
  %254 = phi i64 [ %283, %282 ], [ 0, %218 ]
  %255 = icmp slt i64 %254, 1
  br i1 %255, label %256, label %284

256:                                              ; preds = %253
  br label %257

257:                                              ; preds = %280, %256
  %258 = phi i64 [ %281, %280 ], [ 0, %256 ]
  %259 = icmp slt i64 %258, 4
  br i1 %259, label %260, label %282

260:                                              ; preds = %257
  br label %261

261:                                              ; preds = %278, %260
  %262 = phi i64 [ %279, %278 ], [ 0, %260 ]
  %263 = icmp slt i64 %262, 4
  br i1 %263, label %264, label %280

264:                                              ; preds = %261
  br label %265

265:                                              ; preds = %268, %264
  %266 = phi i64 [ %277, %268 ], [ 0, %264 ]
  %267 = icmp slt i64 %266, 8
  br i1 %267, label %268, label %278

268:                                              ; preds = %265
  %269 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %235, 1
  %270 = mul nuw nsw i64 %254, 128
  %271 = mul nuw nsw i64 %258, 32
  %272 = add nuw nsw i64 %270, %271
  %273 = mul nuw nsw i64 %262, 8
  %274 = add nuw nsw i64 %272, %273
  %275 = add nuw nsw i64 %274, %266
  %276 = getelementptr inbounds nuw float, ptr %269, i64 %275
  store float 0.000000e+00, ptr %276, align 4
  %277 = add i64 %266, 1
  br label %265

278:                                              ; preds = %265
  %279 = add i64 %262, 1
  br label %261

280:                                              ; preds = %261
  %281 = add i64 %258, 1
  br label %257

282:                                              ; preds = %257
  %283 = add i64 %254, 1
  br label %253

284:                                              ; preds = %253
  br label %285

285:                                              ; preds = %363, %284
  %286 = phi i64 [ %364, %363 ], [ 0, %284 ]
  %287 = icmp slt i64 %286, 1
  br i1 %287, label %288, label %365

288:                                              ; preds = %285
  br label %289

289:                                              ; preds = %361, %288
  %290 = phi i64 [ %362, %361 ], [ 0, %288 ]
  %291 = icmp slt i64 %290, 4
  br i1 %291, label %292, label %363

292:                                              ; preds = %289
  br label %293

293:                                              ; preds = %359, %292
  %294 = phi i64 [ %360, %359 ], [ 0, %292 ]
  %295 = icmp slt i64 %294, 4
  br i1 %295, label %296, label %361

296:                                              ; preds = %293
  br label %297

297:                                              ; preds = %357, %296
  %298 = phi i64 [ %358, %357 ], [ 0, %296 ]
  %299 = icmp slt i64 %298, 8
  br i1 %299, label %300, label %359

300:                                              ; preds = %297
  br label %301

301:                                              ; preds = %355, %300
  %302 = phi i64 [ %356, %355 ], [ 0, %300 ]
  %303 = icmp slt i64 %302, 1
  br i1 %303, label %304, label %357

304:                                              ; preds = %301
  br label %305

305:                                              ; preds = %353, %304
  %306 = phi i64 [ %354, %353 ], [ 0, %304 ]
  %307 = icmp slt i64 %306, 1
  br i1 %307, label %308, label %355

308:                                              ; preds = %305
  br label %309

309:                                              ; preds = %312, %308
  %310 = phi i64 [ %352, %312 ], [ 0, %308 ]
  %311 = icmp slt i64 %310, 3
  br i1 %311, label %312, label %353

312:                                              ; preds = %309
  %313 = add i64 %290, %302
  %314 = add i64 %294, %306
  %315 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %176, 1
  %316 = mul nuw nsw i64 %286, 48
  %317 = mul nuw nsw i64 %313, 12
  %318 = add nuw nsw i64 %316, %317
  %319 = mul nuw nsw i64 %314, 3
  %320 = add nuw nsw i64 %318, %319
  %321 = add nuw nsw i64 %320, %310
  %322 = getelementptr inbounds nuw float, ptr %315, i64 %321
  %323 = load float, ptr %322, align 4
  %324 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %62, 1
  %325 = mul nuw nsw i64 %302, 24
  %326 = mul nuw nsw i64 %306, 24
  %327 = add nuw nsw i64 %325, %326
  %328 = mul nuw nsw i64 %310, 8
  %329 = add nuw nsw i64 %327, %328
  %330 = add nuw nsw i64 %329, %298
  %331 = getelementptr inbounds nuw float, ptr %324, i64 %330
  %332 = load float, ptr %331, align 4
  %333 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %235, 1
  %334 = mul nuw nsw i64 %286, 128
  %335 = mul nuw nsw i64 %290, 32
  %336 = add nuw nsw i64 %334, %335
  %337 = mul nuw nsw i64 %294, 8
  %338 = add nuw nsw i64 %336, %337
  %339 = add nuw nsw i64 %338, %298
  %340 = getelementptr inbounds nuw float, ptr %333, i64 %339
  %341 = load float, ptr %340, align 4
  %342 = fmul float %323, %332
  %343 = fadd float %341, %342
  %344 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %235, 1
  %345 = mul nuw nsw i64 %286, 128
  %346 = mul nuw nsw i64 %290, 32
  %347 = add nuw nsw i64 %345, %346
  %348 = mul nuw nsw i64 %294, 8
  %349 = add nuw nsw i64 %347, %348
  %350 = add nuw nsw i64 %349, %298
  %351 = getelementptr inbounds nuw float, ptr %344, i64 %350
  store float %343, ptr %351, align 4
  %352 = add i64 %310, 1
  br label %309

353:                                              ; preds = %309
  %354 = add i64 %306, 1
  br label %305

355:                                              ; preds = %305
  %356 = add i64 %302, 1
  br label %301

357:                                              ; preds = %301
  %358 = add i64 %298, 1
  br label %297

359:                                              ; preds = %297
  %360 = add i64 %294, 1
  br label %293

361:                                              ; preds = %293
  %362 = add i64 %290, 1
  br label %289

363:                                              ; preds = %289
  %364 = add i64 %286, 1
  br label %285

365:                                              ; preds = %285
  %366 = call ptr @malloc(i64 576)
  %367 = ptrtoint ptr %366 to i64
  %368 = add i64 %367, 63
  %369 = urem i64 %368, 64
  %370 = sub i64 %368, %369
  %371 = inttoptr i64 %370 to ptr
  %372 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %366, 0
  %373 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %372, ptr %371, 1
  %374 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %373, i64 0, 2
  %375 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %374, i64 1, 3, 0
  %376 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %375, i64 8, 3, 1
  %377 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %376, i64 4, 3, 2
  %378 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %377, i64 4, 3, 3
  %379 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %378, i64 128, 4, 0
  %380 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %379, i64 16, 4, 1
  %381 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %380, i64 4, 4, 2
  %382 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %381, i64 1, 4, 3
  br label %383

383:                                              ; preds = %421, %365
  %384 = phi i64 [ %422, %421 ], [ 0, %365 ]
  %385 = icmp slt i64 %384, 1
  br i1 %385, label %386, label %423

386:                                              ; preds = %383
  br label %387

387:                                              ; preds = %419, %386
  %388 = phi i64 [ %420, %419 ], [ 0, %386 ]
  %389 = icmp slt i64 %388, 8
  br i1 %389, label %390, label %421

390:                                              ; preds = %387
  br label %391

391:                                              ; preds = %417, %390
  %392 = phi i64 [ %418, %417 ], [ 0, %390 ]
  %393 = icmp slt i64 %392, 4
  br i1 %393, label %394, label %419

394:                                              ; preds = %391
  br label %395

395:                                              ; preds = %398, %394
  %396 = phi i64 [ %416, %398 ], [ 0, %394 ]
  %397 = icmp slt i64 %396, 4
  br i1 %397, label %398, label %417

398:                                              ; preds = %395
  %399 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %235, 1
  %400 = mul nuw nsw i64 %384, 128
  %401 = mul nuw nsw i64 %392, 32
  %402 = add nuw nsw i64 %400, %401
  %403 = mul nuw nsw i64 %396, 8
  %404 = add nuw nsw i64 %402, %403
  %405 = add nuw nsw i64 %404, %388
  %406 = getelementptr inbounds nuw float, ptr %399, i64 %405
  %407 = load float, ptr %406, align 4
  %408 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %382, 1
  %409 = mul nuw nsw i64 %384, 128
  %410 = mul nuw nsw i64 %388, 16
  %411 = add nuw nsw i64 %409, %410
  %412 = mul nuw nsw i64 %392, 4
  %413 = add nuw nsw i64 %411, %412
  %414 = add nuw nsw i64 %413, %396
  %415 = getelementptr inbounds nuw float, ptr %408, i64 %414
  store float %407, ptr %415, align 4
  %416 = add i64 %396, 1
  br label %395

417:                                              ; preds = %395
  %418 = add i64 %392, 1
  br label %391

419:                                              ; preds = %391
  %420 = add i64 %388, 1
  br label %387

421:                                              ; preds = %387
  %422 = add i64 %384, 1
  br label %383

423:                                              ; preds = %383
  br i1 %22, label %424, label %527

424:                                              ; preds = %423
  br label %425

425:                                              ; preds = %466, %424
  %426 = phi i64 [ %467, %466 ], [ 0, %424 ]
  %427 = icmp slt i64 %426, 1
  br i1 %427, label %428, label %468

428:                                              ; preds = %425
  br label %429

429:                                              ; preds = %464, %428
  %430 = phi i64 [ %465, %464 ], [ 0, %428 ]
  %431 = icmp slt i64 %430, 4
  br i1 %431, label %432, label %466

432:                                              ; preds = %429
  br label %433

433:                                              ; preds = %462, %432
  %434 = phi i64 [ %463, %462 ], [ 0, %432 ]
  %435 = icmp slt i64 %434, 4
  br i1 %435, label %436, label %464

436:                                              ; preds = %433
  br label %437

437:                                              ; preds = %440, %436
  %438 = phi i64 [ %461, %440 ], [ 0, %436 ]
  %439 = icmp slt i64 %438, 8
  br i1 %439, label %440, label %462

440:                                              ; preds = %437
  %441 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %235, 1
  %442 = mul nuw nsw i64 %426, 128
  %443 = mul nuw nsw i64 %430, 32
  %444 = add nuw nsw i64 %442, %443
  %445 = mul nuw nsw i64 %434, 8
  %446 = add nuw nsw i64 %444, %445
  %447 = add nuw nsw i64 %446, %438
  %448 = getelementptr inbounds nuw float, ptr %441, i64 %447
  %449 = load float, ptr %448, align 4
  %450 = trunc i64 %438 to i32
  %451 = sitofp i32 %450 to float
  %452 = fadd float %449, %451
  %453 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %252, 1
  %454 = mul nuw nsw i64 %426, 128
  %455 = mul nuw nsw i64 %430, 32
  %456 = add nuw nsw i64 %454, %455
  %457 = mul nuw nsw i64 %434, 8
  %458 = add nuw nsw i64 %456, %457
  %459 = add nuw nsw i64 %458, %438
  %460 = getelementptr inbounds nuw float, ptr %453, i64 %459
  store float %452, ptr %460, align 4
  %461 = add i64 %438, 1
  br label %437

462:                                              ; preds = %437
  %463 = add i64 %434, 1
  br label %433

464:                                              ; preds = %433
  %465 = add i64 %430, 1
  br label %429

466:                                              ; preds = %429
  %467 = add i64 %426, 1
  br label %425

468:                                              ; preds = %425
  %469 = call ptr @malloc(i64 576)
  %470 = ptrtoint ptr %469 to i64
  %471 = add i64 %470, 63
  %472 = urem i64 %471, 64
  %473 = sub i64 %471, %472
  %474 = inttoptr i64 %473 to ptr
  %475 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %469, 0
  %476 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %475, ptr %474, 1
  %477 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %476, i64 0, 2
  %478 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %477, i64 1, 3, 0
  %479 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %478, i64 8, 3, 1
  %480 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %479, i64 4, 3, 2
  %481 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %480, i64 4, 3, 3
  %482 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %481, i64 128, 4, 0
  %483 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %482, i64 16, 4, 1
  %484 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %483, i64 4, 4, 2
  %485 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %484, i64 1, 4, 3
  br label %486

486:                                              ; preds = %524, %468
  %487 = phi i64 [ %525, %524 ], [ 0, %468 ]
  %488 = icmp slt i64 %487, 1
  br i1 %488, label %489, label %526

489:                                              ; preds = %486
  br label %490

490:                                              ; preds = %522, %489
  %491 = phi i64 [ %523, %522 ], [ 0, %489 ]
  %492 = icmp slt i64 %491, 8
  br i1 %492, label %493, label %524

493:                                              ; preds = %490
  br label %494

494:                                              ; preds = %520, %493
  %495 = phi i64 [ %521, %520 ], [ 0, %493 ]
  %496 = icmp slt i64 %495, 4
  br i1 %496, label %497, label %522

497:                                              ; preds = %494
  br label %498

498:                                              ; preds = %501, %497
  %499 = phi i64 [ %519, %501 ], [ 0, %497 ]
  %500 = icmp slt i64 %499, 4
  br i1 %500, label %501, label %520

501:                                              ; preds = %498
  %502 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %252, 1
  %503 = mul nuw nsw i64 %487, 128
  %504 = mul nuw nsw i64 %495, 32
  %505 = add nuw nsw i64 %503, %504
  %506 = mul nuw nsw i64 %499, 8
  %507 = add nuw nsw i64 %505, %506
  %508 = add nuw nsw i64 %507, %491
  %509 = getelementptr inbounds nuw float, ptr %502, i64 %508
  %510 = load float, ptr %509, align 4
  %511 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %485, 1
  %512 = mul nuw nsw i64 %487, 128
  %513 = mul nuw nsw i64 %491, 16
  %514 = add nuw nsw i64 %512, %513
  %515 = mul nuw nsw i64 %495, 4
  %516 = add nuw nsw i64 %514, %515
  %517 = add nuw nsw i64 %516, %499
  %518 = getelementptr inbounds nuw float, ptr %511, i64 %517
  store float %510, ptr %518, align 4
  %519 = add i64 %499, 1
  br label %498

520:                                              ; preds = %498
  %521 = add i64 %495, 1
  br label %494

522:                                              ; preds = %494
  %523 = add i64 %491, 1
  br label %490

524:                                              ; preds = %490
  %525 = add i64 %487, 1
  br label %486

526:                                              ; preds = %486
  br label %528

527:                                              ; preds = %423
  br label %528

528:                                              ; preds = %526, %527
  %529 = phi { ptr, ptr, i64, [4 x i64], [4 x i64] } [ %382, %527 ], [ %485, %526 ]
  br label %530

530:                                              ; preds = %528
  ret { ptr, ptr, i64, [4 x i64], [4 x i64] } %529
}

define void @_mlir_ciface_borders(ptr %0, ptr %1, ptr %2, i1 %3) {
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
  %29 = call { ptr, ptr, i64, [4 x i64], [4 x i64] } @borders(ptr %6, ptr %7, i64 %8, i64 %9, i64 %10, i64 %11, i64 %12, i64 %13, i64 %14, i64 %15, i64 %16, ptr %18, ptr %19, i64 %20, i64 %21, i64 %22, i64 %23, i64 %24, i64 %25, i64 %26, i64 %27, i64 %28, i1 %3)
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %29, ptr %0, align 8
  ret void
}

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
