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
  %48 = mul i64 %23, %23
  %49 = mul i64 %48, 8
  %50 = mul i64 %49, %22
  %51 = getelementptr float, ptr null, i64 %50
  %52 = ptrtoint ptr %51 to i64
  %53 = add i64 %52, 64
  %54 = call ptr @malloc(i64 %53)
  %55 = ptrtoint ptr %54 to i64
  %56 = add i64 %55, 63
  %57 = urem i64 %56, 64
  %58 = sub i64 %56, %57
  %59 = inttoptr i64 %58 to ptr
  %60 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %54, 0
  %61 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %60, ptr %59, 1
  %62 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, i64 0, 2
  %63 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %62, i64 %22, 3, 0
  %64 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %63, i64 8, 3, 1
  %65 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %64, i64 %23, 3, 2
  %66 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %65, i64 %23, 3, 3
  %67 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %66, i64 %49, 4, 0
  %68 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %67, i64 %48, 4, 1
  %69 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %68, i64 %23, 4, 2
  %70 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %69, i64 1, 4, 3
  br label %71

71:                                               ; preds = %103, %25
  %72 = phi i64 [ %104, %103 ], [ 0, %25 ]
  %73 = icmp slt i64 %72, %22
  br i1 %73, label %74, label %105

74:                                               ; preds = %71
  br label %75

75:                                               ; preds = %101, %74
  %76 = phi i64 [ %102, %101 ], [ 0, %74 ]
  %77 = icmp slt i64 %76, 8
  br i1 %77, label %78, label %103

78:                                               ; preds = %75
  br label %79

79:                                               ; preds = %99, %78
  %80 = phi i64 [ %100, %99 ], [ 0, %78 ]
  %81 = icmp slt i64 %80, %23
  br i1 %81, label %82, label %101

82:                                               ; preds = %79
  br label %83

83:                                               ; preds = %86, %82
  %84 = phi i64 [ %98, %86 ], [ 0, %82 ]
  %85 = icmp slt i64 %84, %23
  br i1 %85, label %86, label %99

86:                                               ; preds = %83
  %87 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 1
  %88 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 4, 0
  %89 = mul nuw nsw i64 %72, %88
  %90 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 4, 1
  %91 = mul nuw nsw i64 %76, %90
  %92 = add nuw nsw i64 %89, %91
  %93 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 4, 2
  %94 = mul nuw nsw i64 %80, %93
  %95 = add nuw nsw i64 %92, %94
  %96 = add nuw nsw i64 %95, %84
  %97 = getelementptr inbounds nuw float, ptr %87, i64 %96
  store float 0.000000e+00, ptr %97, align 4
  %98 = add i64 %84, 1
  br label %83

99:                                               ; preds = %83
  %100 = add i64 %80, 1
  br label %79

101:                                              ; preds = %79
  %102 = add i64 %76, 1
  br label %75

103:                                              ; preds = %75
  %104 = add i64 %72, 1
  br label %71

105:                                              ; preds = %71
  %106 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 3
  %107 = alloca [4 x i64], i64 1, align 8
  store [4 x i64] %106, ptr %107, align 4
  %108 = getelementptr [4 x i64], ptr %107, i32 0, i64 0
  %109 = load i64, ptr %108, align 4
  br label %110

110:                                              ; preds = %195, %105
  %111 = phi i64 [ %196, %195 ], [ 0, %105 ]
  %112 = icmp slt i64 %111, %109
  br i1 %112, label %113, label %197

113:                                              ; preds = %110
  br label %114

114:                                              ; preds = %193, %113
  %115 = phi i64 [ %194, %193 ], [ 0, %113 ]
  %116 = icmp slt i64 %115, 8
  br i1 %116, label %117, label %195

117:                                              ; preds = %114
  br label %118

118:                                              ; preds = %191, %117
  %119 = phi i64 [ %192, %191 ], [ 0, %117 ]
  %120 = icmp slt i64 %119, %23
  br i1 %120, label %121, label %193

121:                                              ; preds = %118
  br label %122

122:                                              ; preds = %189, %121
  %123 = phi i64 [ %190, %189 ], [ 0, %121 ]
  %124 = icmp slt i64 %123, %23
  br i1 %124, label %125, label %191

125:                                              ; preds = %122
  br label %126

126:                                              ; preds = %187, %125
  %127 = phi i64 [ %188, %187 ], [ 0, %125 ]
  %128 = icmp slt i64 %127, 3
  br i1 %128, label %129, label %189

129:                                              ; preds = %126
  br label %130

130:                                              ; preds = %185, %129
  %131 = phi i64 [ %186, %185 ], [ 0, %129 ]
  %132 = icmp slt i64 %131, 1
  br i1 %132, label %133, label %187

133:                                              ; preds = %130
  br label %134

134:                                              ; preds = %137, %133
  %135 = phi i64 [ %184, %137 ], [ 0, %133 ]
  %136 = icmp slt i64 %135, 1
  br i1 %136, label %137, label %185

137:                                              ; preds = %134
  %138 = add i64 %119, %131
  %139 = add i64 %123, %135
  %140 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 1
  %141 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 4, 0
  %142 = mul nuw nsw i64 %111, %141
  %143 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 4, 1
  %144 = mul nuw nsw i64 %127, %143
  %145 = add nuw nsw i64 %142, %144
  %146 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, 4, 2
  %147 = mul nuw nsw i64 %138, %146
  %148 = add nuw nsw i64 %145, %147
  %149 = add nuw nsw i64 %148, %139
  %150 = getelementptr inbounds nuw float, ptr %140, i64 %149
  %151 = load float, ptr %150, align 4
  %152 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, 1
  %153 = mul nuw nsw i64 %115, 3
  %154 = add nuw nsw i64 %153, %127
  %155 = add nuw nsw i64 %154, %131
  %156 = add nuw nsw i64 %155, %135
  %157 = getelementptr inbounds nuw float, ptr %152, i64 %156
  %158 = load float, ptr %157, align 4
  %159 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 1
  %160 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 4, 0
  %161 = mul nuw nsw i64 %111, %160
  %162 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 4, 1
  %163 = mul nuw nsw i64 %115, %162
  %164 = add nuw nsw i64 %161, %163
  %165 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 4, 2
  %166 = mul nuw nsw i64 %119, %165
  %167 = add nuw nsw i64 %164, %166
  %168 = add nuw nsw i64 %167, %123
  %169 = getelementptr inbounds nuw float, ptr %159, i64 %168
  %170 = load float, ptr %169, align 4
  %171 = fmul float %151, %158
  %172 = fadd float %170, %171
  %173 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 1
  %174 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 4, 0
  %175 = mul nuw nsw i64 %111, %174
  %176 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 4, 1
  %177 = mul nuw nsw i64 %115, %176
  %178 = add nuw nsw i64 %175, %177
  %179 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 4, 2
  %180 = mul nuw nsw i64 %119, %179
  %181 = add nuw nsw i64 %178, %180
  %182 = add nuw nsw i64 %181, %123
  %183 = getelementptr inbounds nuw float, ptr %173, i64 %182
  store float %172, ptr %183, align 4
  %184 = add i64 %135, 1
  br label %134

185:                                              ; preds = %134
  %186 = add i64 %131, 1
  br label %130

187:                                              ; preds = %130
  %188 = add i64 %127, 1
  br label %126

189:                                              ; preds = %126
  %190 = add i64 %123, 1
  br label %122

191:                                              ; preds = %122
  %192 = add i64 %119, 1
  br label %118

193:                                              ; preds = %118
  %194 = add i64 %115, 1
  br label %114

195:                                              ; preds = %114
  %196 = add i64 %111, 1
  br label %110

197:                                              ; preds = %110
  %198 = mul i64 %24, %24
  %199 = mul i64 %198, 8
  %200 = mul i64 %199, %22
  %201 = getelementptr float, ptr null, i64 %200
  %202 = ptrtoint ptr %201 to i64
  %203 = add i64 %202, 64
  %204 = call ptr @malloc(i64 %203)
  %205 = ptrtoint ptr %204 to i64
  %206 = add i64 %205, 63
  %207 = urem i64 %206, 64
  %208 = sub i64 %206, %207
  %209 = inttoptr i64 %208 to ptr
  %210 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %204, 0
  %211 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %210, ptr %209, 1
  %212 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %211, i64 0, 2
  %213 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %212, i64 %22, 3, 0
  %214 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %213, i64 8, 3, 1
  %215 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %214, i64 %24, 3, 2
  %216 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %215, i64 %24, 3, 3
  %217 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %216, i64 %199, 4, 0
  %218 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %217, i64 %198, 4, 1
  %219 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %218, i64 %24, 4, 2
  %220 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %219, i64 1, 4, 3
  br label %221

221:                                              ; preds = %253, %197
  %222 = phi i64 [ %254, %253 ], [ 0, %197 ]
  %223 = icmp slt i64 %222, %22
  br i1 %223, label %224, label %255

224:                                              ; preds = %221
  br label %225

225:                                              ; preds = %251, %224
  %226 = phi i64 [ %252, %251 ], [ 0, %224 ]
  %227 = icmp slt i64 %226, 8
  br i1 %227, label %228, label %253

228:                                              ; preds = %225
  br label %229

229:                                              ; preds = %249, %228
  %230 = phi i64 [ %250, %249 ], [ 0, %228 ]
  %231 = icmp slt i64 %230, %24
  br i1 %231, label %232, label %251

232:                                              ; preds = %229
  br label %233

233:                                              ; preds = %236, %232
  %234 = phi i64 [ %248, %236 ], [ 0, %232 ]
  %235 = icmp slt i64 %234, %24
  br i1 %235, label %236, label %249

236:                                              ; preds = %233
  %237 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 1
  %238 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 4, 0
  %239 = mul nuw nsw i64 %222, %238
  %240 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 4, 1
  %241 = mul nuw nsw i64 %226, %240
  %242 = add nuw nsw i64 %239, %241
  %243 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 4, 2
  %244 = mul nuw nsw i64 %230, %243
  %245 = add nuw nsw i64 %242, %244
  %246 = add nuw nsw i64 %245, %234
  %247 = getelementptr inbounds nuw float, ptr %237, i64 %246
  store float 0.000000e+00, ptr %247, align 4
  %248 = add i64 %234, 1
  br label %233

249:                                              ; preds = %233
  %250 = add i64 %230, 1
  br label %229

251:                                              ; preds = %229
  %252 = add i64 %226, 1
  br label %225

253:                                              ; preds = %225
  %254 = add i64 %222, 1
  br label %221

255:                                              ; preds = %221
  br label %256

256:                                              ; preds = %329, %255
  %257 = phi i64 [ %330, %329 ], [ 0, %255 ]
  %258 = icmp slt i64 %257, %22
  br i1 %258, label %259, label %331

259:                                              ; preds = %256
  br label %260

260:                                              ; preds = %327, %259
  %261 = phi i64 [ %328, %327 ], [ 0, %259 ]
  %262 = icmp slt i64 %261, 8
  br i1 %262, label %263, label %329

263:                                              ; preds = %260
  br label %264

264:                                              ; preds = %325, %263
  %265 = phi i64 [ %326, %325 ], [ 0, %263 ]
  %266 = icmp slt i64 %265, %24
  br i1 %266, label %267, label %327

267:                                              ; preds = %264
  br label %268

268:                                              ; preds = %323, %267
  %269 = phi i64 [ %324, %323 ], [ 0, %267 ]
  %270 = icmp slt i64 %269, %24
  br i1 %270, label %271, label %325

271:                                              ; preds = %268
  br label %272

272:                                              ; preds = %321, %271
  %273 = phi i64 [ %322, %321 ], [ 0, %271 ]
  %274 = icmp slt i64 %273, 3
  br i1 %274, label %275, label %323

275:                                              ; preds = %272
  br label %276

276:                                              ; preds = %279, %275
  %277 = phi i64 [ %320, %279 ], [ 0, %275 ]
  %278 = icmp slt i64 %277, 3
  br i1 %278, label %279, label %321

279:                                              ; preds = %276
  %280 = mul nsw i64 %265, 2
  %281 = add i64 %280, %273
  %282 = mul nsw i64 %269, 2
  %283 = add i64 %282, %277
  %284 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 1
  %285 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 4, 0
  %286 = mul nuw nsw i64 %257, %285
  %287 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 4, 1
  %288 = mul nuw nsw i64 %261, %287
  %289 = add nuw nsw i64 %286, %288
  %290 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, 4, 2
  %291 = mul nuw nsw i64 %281, %290
  %292 = add nuw nsw i64 %289, %291
  %293 = add nuw nsw i64 %292, %283
  %294 = getelementptr inbounds nuw float, ptr %284, i64 %293
  %295 = load float, ptr %294, align 4
  %296 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 1
  %297 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 4, 0
  %298 = mul nuw nsw i64 %257, %297
  %299 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 4, 1
  %300 = mul nuw nsw i64 %261, %299
  %301 = add nuw nsw i64 %298, %300
  %302 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 4, 2
  %303 = mul nuw nsw i64 %265, %302
  %304 = add nuw nsw i64 %301, %303
  %305 = add nuw nsw i64 %304, %269
  %306 = getelementptr inbounds nuw float, ptr %296, i64 %305
  %307 = load float, ptr %306, align 4
  %308 = call float @llvm.maximum.f32(float %307, float %295)
  %309 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 1
  %310 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 4, 0
  %311 = mul nuw nsw i64 %257, %310
  %312 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 4, 1
  %313 = mul nuw nsw i64 %261, %312
  %314 = add nuw nsw i64 %311, %313
  %315 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 4, 2
  %316 = mul nuw nsw i64 %265, %315
  %317 = add nuw nsw i64 %314, %316
  %318 = add nuw nsw i64 %317, %269
  %319 = getelementptr inbounds nuw float, ptr %309, i64 %318
  store float %308, ptr %319, align 4
  %320 = add i64 %277, 1
  br label %276

321:                                              ; preds = %276
  %322 = add i64 %273, 1
  br label %272

323:                                              ; preds = %272
  %324 = add i64 %269, 1
  br label %268

325:                                              ; preds = %268
  %326 = add i64 %265, 1
  br label %264

327:                                              ; preds = %264
  %328 = add i64 %261, 1
  br label %260

329:                                              ; preds = %260
  %330 = add i64 %257, 1
  br label %256

331:                                              ; preds = %256
  %332 = mul i64 8, %22
  %333 = getelementptr float, ptr null, i64 %332
  %334 = ptrtoint ptr %333 to i64
  %335 = add i64 %334, 64
  %336 = call ptr @malloc(i64 %335)
  %337 = ptrtoint ptr %336 to i64
  %338 = add i64 %337, 63
  %339 = urem i64 %338, 64
  %340 = sub i64 %338, %339
  %341 = inttoptr i64 %340 to ptr
  %342 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } poison, ptr %336, 0
  %343 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %342, ptr %341, 1
  %344 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %343, i64 0, 2
  %345 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %344, i64 %22, 3, 0
  %346 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %345, i64 8, 3, 1
  %347 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %346, i64 8, 4, 0
  %348 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %347, i64 1, 4, 1
  br label %349

349:                                              ; preds = %362, %331
  %350 = phi i64 [ %363, %362 ], [ 0, %331 ]
  %351 = icmp slt i64 %350, %22
  br i1 %351, label %352, label %364

352:                                              ; preds = %349
  br label %353

353:                                              ; preds = %356, %352
  %354 = phi i64 [ %361, %356 ], [ 0, %352 ]
  %355 = icmp slt i64 %354, 8
  br i1 %355, label %356, label %362

356:                                              ; preds = %353
  %357 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %348, 1
  %358 = mul nuw nsw i64 %350, 8
  %359 = add nuw nsw i64 %358, %354
  %360 = getelementptr inbounds nuw float, ptr %357, i64 %359
  store float 0.000000e+00, ptr %360, align 4
  %361 = add i64 %354, 1
  br label %353

362:                                              ; preds = %353
  %363 = add i64 %350, 1
  br label %349

364:                                              ; preds = %349
  br label %365

365:                                              ; preds = %408, %364
  %366 = phi i64 [ %409, %408 ], [ 0, %364 ]
  %367 = icmp slt i64 %366, %22
  br i1 %367, label %368, label %410

368:                                              ; preds = %365
  br label %369

369:                                              ; preds = %406, %368
  %370 = phi i64 [ %407, %406 ], [ 0, %368 ]
  %371 = icmp slt i64 %370, 8
  br i1 %371, label %372, label %408

372:                                              ; preds = %369
  br label %373

373:                                              ; preds = %404, %372
  %374 = phi i64 [ %405, %404 ], [ 0, %372 ]
  %375 = icmp slt i64 %374, %24
  br i1 %375, label %376, label %406

376:                                              ; preds = %373
  br label %377

377:                                              ; preds = %380, %376
  %378 = phi i64 [ %403, %380 ], [ 0, %376 ]
  %379 = icmp slt i64 %378, %24
  br i1 %379, label %380, label %404

380:                                              ; preds = %377
  %381 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 1
  %382 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 4, 0
  %383 = mul nuw nsw i64 %366, %382
  %384 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 4, 1
  %385 = mul nuw nsw i64 %370, %384
  %386 = add nuw nsw i64 %383, %385
  %387 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, 4, 2
  %388 = mul nuw nsw i64 %374, %387
  %389 = add nuw nsw i64 %386, %388
  %390 = add nuw nsw i64 %389, %378
  %391 = getelementptr inbounds nuw float, ptr %381, i64 %390
  %392 = load float, ptr %391, align 4
  %393 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %348, 1
  %394 = mul nuw nsw i64 %366, 8
  %395 = add nuw nsw i64 %394, %370
  %396 = getelementptr inbounds nuw float, ptr %393, i64 %395
  %397 = load float, ptr %396, align 4
  %398 = fadd float %392, %397
  %399 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %348, 1
  %400 = mul nuw nsw i64 %366, 8
  %401 = add nuw nsw i64 %400, %370
  %402 = getelementptr inbounds nuw float, ptr %399, i64 %401
  store float %398, ptr %402, align 4
  %403 = add i64 %378, 1
  br label %377

404:                                              ; preds = %377
  %405 = add i64 %374, 1
  br label %373

406:                                              ; preds = %373
  %407 = add i64 %370, 1
  br label %369

408:                                              ; preds = %369
  %409 = add i64 %366, 1
  br label %365

410:                                              ; preds = %365
  ret { ptr, ptr, i64, [2 x i64], [2 x i64] } %348
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
