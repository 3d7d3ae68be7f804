; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare void @memrefCopy(i64, ptr, ptr)

declare ptr @malloc(i64)

define { ptr, ptr, i64, [4 x i64], [4 x i64] } @block(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10, ptr %11, ptr %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17, i64 %18, i64 %19, i64 %20, i64 %21, ptr %22, ptr %23, i64 %24, i64 %25, i64 %26, ptr %27, ptr %28, i64 %29, i64 %30, i64 %31, i64 %32, i64 %33, i64 %34, i64 %35, i64 %36, i64 %37) {
  %39 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %27, 0
  %40 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %39, ptr %28, 1
  %41 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %40, i64 %29, 2
  %42 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %41, i64 %30, 3, 0
  %43 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %42, i64 %34, 4, 0
  %44 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %43, i64 %31, 3, 1
  %45 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, i64 %35, 4, 1
  %46 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %45, i64 %32, 3, 2
  %47 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %46, i64 %36, 4, 2
  %48 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %47, i64 %33, 3, 3
  %49 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %48, i64 %37, 4, 3
  %50 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } poison, ptr %22, 0
  %51 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %50, ptr %23, 1
  %52 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %51, i64 %24, 2
  %53 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %52, i64 %25, 3, 0
  %54 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %53, i64 %26, 4, 0
  %55 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %11, 0
  %56 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %55, ptr %12, 1
  %57 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %56, i64 %13, 2
  %58 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %57, i64 %14, 3, 0
  %59 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %58, i64 %18, 4, 0
  %60 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %59, i64 %15, 3, 1
  %61 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %60, i64 %19, 4, 1
  %62 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, i64 %16, 3, 2
  %63 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %62, i64 %20, 4, 2
  %64 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %63, i64 %17, 3, 3
  %65 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %64, i64 %21, 4, 3
  %66 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %0, 0
  %67 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %66, ptr %1, 1
  %68 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %67, i64 %2, 2
  %69 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %68, i64 %3, 3, 0
  %70 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %69, i64 %7, 4, 0
  %71 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %70, i64 %4, 3, 1
  %72 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %71, i64 %8, 4, 1
  %73 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %72, i64 %5, 3, 2
  %74 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %73, i64 %9, 4, 2
  %75 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %74, i64 %6, 3, 3
  %76 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %75, i64 %10, 4, 3
  %77 = call ptr @malloc(i64 3532)
  %78 = ptrtoint ptr %77 to i64
  %79 = add i64 %78, 63
  %80 = urem i64 %79, 64
  %81 = sub i64 %79, %80
  %82 = inttoptr i64 %81 to ptr
  %83 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %77, 0
  %84 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %83, ptr %82, 1
  %85 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %84, i64 0, 2
  %86 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %85, i64 1, 3, 0
  %87 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %86, i64 3, 3, 1
  %88 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %87, i64 17, 3, 2
  %89 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %88, i64 17, 3, 3
  %90 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %89, i64 867, 4, 0
  %91 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %90, i64 289, 4, 1
  %92 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %91, i64 17, 4, 2
  %93 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %92, i64 1, 4, 3
  br label %94

94:                                               ; preds = %123, %38
  %95 = phi i64 [ %124, %123 ], [ 0, %38 ]
  %96 = icmp slt i64 %95, 1
  br i1 %96, label %97, label %125

97:                                               ; preds = %94
  br label %98

98:                                               ; preds = %121, %97
  %99 = phi i64 [ %122, %121 ], [ 0, %97 ]
  %100 = icmp slt i64 %99, 3
  br i1 %100, label %101, label %123

101:                                              ; preds = %98
  br label %102

102:                                              ; preds = %119, %101
  %103 = phi i64 [ %120, %119 ], [ 0, %101 ]
  %104 = icmp slt i64 %103, 17
  br i1 %104, label %105, label %121

105:                                              ; preds = %102
  br label %106

106:                                              ; preds = %109, %105
  %107 = phi i64 [ %118, %109 ], [ 0, %105 ]
  %108 = icmp slt i64 %107, 17
  br i1 %108, label %109, label %119

109:                                              ; preds = %106
  %110 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %93, 1
  %111 = mul nuw nsw i64 %95, 867
  %112 = mul nuw nsw i64 %99, 289
  %113 = add nuw nsw i64 %111, %112
  %114 = mul nuw nsw i64 %103, 17
  %115 = add nuw nsw i64 %113, %114
  %116 = add nuw nsw i64 %115, %107
  %117 = getelementptr inbounds nuw float, ptr %110, i64 %116
  store float 0.000000e+00, ptr %117, align 4
  %118 = add i64 %107, 1
  br label %106

119:                                              ; preds = %106
  %120 = add i64 %103, 1
  br label %102

121:                                              ; preds = %102
  %122 = add i64 %99, 1
  br label %98

123:                                              ; preds = %98
  %124 = add i64 %95, 1
  br label %94

125:                                              ; preds = %94
  %126 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %93, 0
  %127 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %93, 1
  %128 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %126, 0
  %129 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %128, ptr %127, 1
  %130 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %129, i64 18, 2
  %131 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %130, i64 1, 3, 0
  %132 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %131, i64 867, 4, 0
  %133 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %132, i64 3, 3, 1
  %134 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %133, i64 289, 4, 1
  %135 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %134, i64 15, 3, 2
  %136 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %135, i64 17, 4, 2
  %137 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %136, i64 15, 3, 3
  %138 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %137, i64 1, 4, 3
  %139 = call ptr @llvm.stacksave.p0()
  %140 = alloca { ptr, ptr, i64, [4 x i64], [4 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %76, ptr %140, align 8
  %141 = insertvalue { i64, ptr } { i64 4, ptr poison }, ptr %140, 1
  %142 = alloca { ptr, ptr, i64, [4 x i64], [4 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %138, ptr %142, align 8
  %143 = insertvalue { i64, ptr } { i64 4, ptr poison }, ptr %142, 1
  %144 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %141, ptr %144, align 8
  %145 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %143, ptr %145, align 8
  call void @memrefCopy(i64 4, ptr %144, ptr %145)
  call void @llvm.stackrestore.p0(ptr %139)
  %146 = call ptr @malloc(i64 2112)
  %147 = ptrtoint ptr %146 to i64
  %148 = add i64 %147, 63
  %149 = urem i64 %148, 64
  %150 = sub i64 %148, %149
  %151 = inttoptr i64 %150 to ptr
  %152 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %146, 0
  %153 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %152, ptr %151, 1
  %154 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %153, i64 0, 2
  %155 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %154, i64 1, 3, 0
  %156 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %155, i64 8, 3, 1
  %157 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %156, i64 8, 3, 2
  %158 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %157, i64 8, 3, 3
  %159 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %158, i64 512, 4, 0
  %160 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %159, i64 64, 4, 1
  %161 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %160, i64 8, 4, 2
  %162 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %161, i64 1, 4, 3
  %163 = call ptr @malloc(i64 2112)
  %164 = ptrtoint ptr %163 to i64
  %165 = add i64 %164, 63
  %166 = urem i64 %165, 64
  %167 = sub i64 %165, %166
  %168 = inttoptr i64 %167 to ptr
  %169 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %163, 0
  %170 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %169, ptr %168, 1
  %171 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %170, i64 0, 2
  %172 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %171, i64 1, 3, 0
  %173 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %172, i64 8, 3, 1
  %174 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %173, i64 8, 3, 2
  %175 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %174, i64 8, 3, 3
  %176 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %175, i64 512, 4, 0
  %177 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %176, i64 64, 4, 1
  %178 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %177, i64 8, 4, 2
  %179 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %178, i64 1, 4, 3
  br label %180

180:                                              ; preds = %209, %125
  %181 = phi i64 [ %210, %209 ], [ 0, %125 ]
  %182 = icmp slt i64 %181, 1
  br i1 %182, label %183, label %211

183:                                              ; preds = %180
  br label %184

184:                                              ; preds = %207, %183
  %185 = phi i64 [ %208, %207 ], [ 0, %183 ]
  %186 = icmp slt i64 %185, 8
  br i1 %186, label %187, label %209

187:                                              ; preds = %184
  br label %188

188:                                              ; preds = %205, %187
  %189 = phi i64 [ %206, %205 ], [ 0, %187 ]
  %190 = icmp slt i64 %189, 8
  br i1 %190, label %191, label %207

191:                                              ; preds = %188
  br label %192

192:                                              ; preds = %195, %191
  %193 = phi i64 [ %204, %195 ], [ 0, %191 ]
  %194 = icmp slt i64 %193, 8
  br i1 %194, label %195, label %205

195:                                              ; preds = %192
  %196 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %179, 1
  %197 = mul nuw nsw i64 %181, 512
  %198 = mul nuw nsw i64 %185, 64
  %199 = add nuw nsw i64 %197, %198
  %200 = mul nuw nsw i64 %189, 8
  %201 = add nuw nsw i64 %199, %200
  %202 = add nuw nsw i64 %201, %193
  %203 = getelementptr inbounds nuw float, ptr %196, i64 %202
  store float 0.000000e+00, ptr %203, align 4
  %204 = add i64 %193, 1
  br label %192

205:                                              ; preds = %192
  %206 = add i64 %189, 1
  br label %188

207:                                              ; preds = %188
  %208 = add i64 %185, 1
  br label %184

209:                                              ; preds = %184
  %210 = add i64 %181, 1
  br label %180

211:                                              ; preds = %180
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
  %229 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %179, 3, 0
  %230 = mul i64 1, %229
  %231 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %179, 3, 1
  %232 = mul i64 %230, %231
  %233 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %179, 3, 2
  %234 = mul i64 %232, %233
  %235 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %179, 3, 3
  %236 = mul i64 %234, %235
  %237 = mul i64 %236, 4
  %238 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %179, 1
  %239 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %179, 2
  %240 = getelementptr float, ptr %238, i64 %239
  %241 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %228, 1
  %242 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %228, 2
  %243 = getelementptr float, ptr %241, i64 %242
  call void @llvm.memcpy.p0.p0.i64(ptr %243, ptr %240, i64 %237, i1 false)
  br label %244

244:                                              ; preds = %324, %211
  %245 = phi i64 [ %325, %324 ], [ 0, %211 ]
  %246 = icmp slt i64 %245, 1
  br i1 %246, label %247, label %326

247:                                              ; preds = %244
  br label %248

248:                                              ; preds = %322, %247
  %249 = phi i64 [ %323, %322 ], [ 0, %247 ]
  %250 = icmp slt i64 %249, 8
  br i1 %250, label %251, label %324

251:                                              ; preds = %248
  br label %252

252:                                              ; preds = %320, %251
  %253 = phi i64 [ %321, %320 ], [ 0, %251 ]
  %254 = icmp slt i64 %253, 8
  br i1 %254, label %255, label %322

255:                                              ; preds = %252
  br label %256

256:                                              ; preds = %318, %255
  %257 = phi i64 [ %319, %318 ], [ 0, %255 ]
  %258 = icmp slt i64 %257, 8
  br i1 %258, label %259, label %320

259:                                              ; preds = %256
  br label %260

260:                                              ; preds = %316, %259
  %261 = phi i64 [ %317, %316 ], [ 0, %259 ]
  %262 = icmp slt i64 %261, 3
  br i1 %262, label %263, label %318

263:                                              ; preds = %260
  br label %264

264:                                              ; preds = %314, %263
  %265 = phi i64 [ %315, %314 ], [ 0, %263 ]
  %266 = icmp slt i64 %265, 3
  br i1 %266, label %267, label %316

267:                                              ; preds = %264
  br label %268

268:                                              ; preds = %271, %267
  %269 = phi i64 [ %313, %271 ], [ 0, %267 ]
  %270 = icmp slt i64 %269, 3
  br i1 %270, label %271, label %314

271:                                              ; preds = %268
  %272 = mul nsw i64 %253, 2
  %273 = add i64 %272, %265
  %274 = mul nsw i64 %257, 2
  %275 = add i64 %274, %269
  %276 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %93, 1
  %277 = mul nuw nsw i64 %245, 867
  %278 = mul nuw nsw i64 %261, 289
  %279 = add nuw nsw i64 %277, %278
  %280 = mul nuw nsw i64 %273, 17
  %281 = add nuw nsw i64 %279, %280
  %282 = add nuw nsw i64 %281, %275
  %283 = getelementptr inbounds nuw float, ptr %276, i64 %282
  %284 = load float, ptr %283, align 4
  %285 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %65, 1
  %286 = mul nuw nsw i64 %249, 27
  %287 = mul nuw nsw i64 %261, 9
  %288 = add nuw nsw i64 %286, %287
  %289 = mul nuw nsw i64 %265, 3
  %290 = add nuw nsw i64 %288, %289
  %291 = add nuw nsw i64 %290, %269
  %292 = getelementptr inbounds nuw float, ptr %285, i64 %291
  %293 = load float, ptr %292, align 4
  %294 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %228, 1
  %295 = mul nuw nsw i64 %245, 512
  %296 = mul nuw nsw i64 %249, 64
  %297 = add nuw nsw i64 %295, %296
  %298 = mul nuw nsw i64 %253, 8
  %299 = add nuw nsw i64 %297, %298
  %300 = add nuw nsw i64 %299, %257
  %301 = getelementptr inbounds nuw float, ptr %294, i64 %300
  %302 = load float, ptr %301, align 4
  %303 = fmul float %284, %293
  %304 = fadd float %302, %303
  %305 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %228, 1
  %306 = mul nuw nsw i64 %245, 512
  %307 = mul nuw nsw i64 %249, 64
  %308 = add nuw nsw i64 %306, %307
  %309 = mul nuw nsw i64 %253, 8
  %310 = add nuw nsw i64 %308, %309
  %311 = add nuw nsw i64 %310, %257
  %312 = getelementptr inbounds nuw float, ptr %305, i64 %311
  store float %304, ptr %312, align 4
  %313 = add i64 %269, 1
  br label %268

314:                                              ; preds = %268
  %315 = add i64 %265, 1
  br label %264

316:                                              ; preds = %264
  %317 = add i64 %261, 1
  br label %260

318:                                              ; preds = %260
  %319 = add i64 %257, 1
  br label %256

320:                                              ; preds = %256
  %321 = add i64 %253, 1
  br label %252

322:                                              ; preds = %252
  %323 = add i64 %249, 1
  br label %248

324:                                              ; preds = %248
  %325 = add i64 %245, 1
  br label %244

326:                                              ; preds = %244
  br label %327

327:                                              ; preds = %370, %326
  %328 = phi i64 [ %371, %370 ], [ 0, %326 ]
  %329 = icmp slt i64 %328, 1
  br i1 %329, label %330, label %372

330:                                              ; preds = %327
  br label %331

331:                                              ; preds = %368, %330
  %332 = phi i64 [ %369, %368 ], [ 0, %330 ]
  %333 = icmp slt i64 %332, 8
  br i1 %333, label %334, label %370

334:                                              ; preds = %331
  br label %335

335:                                              ; preds = %366, %334
  %336 = phi i64 [ %367, %366 ], [ 0, %334 ]
  %337 = icmp slt i64 %336, 8
  br i1 %337, label %338, label %368

338:                                              ; preds = %335
  br label %339

339:                                              ; preds = %342, %338
  %340 = phi i64 [ %365, %342 ], [ 0, %338 ]
  %341 = icmp slt i64 %340, 8
  br i1 %341, label %342, label %366

342:                                              ; preds = %339
  %343 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %228, 1
  %344 = mul nuw nsw i64 %328, 512
  %345 = mul nuw nsw i64 %332, 64
  %346 = add nuw nsw i64 %344, %345
  %347 = mul nuw nsw i64 %336, 8
  %348 = add nuw nsw i64 %346, %347
  %349 = add nuw nsw i64 %348, %340
  %350 = getelementptr inbounds nuw float, ptr %343, i64 %349
  %351 = load float, ptr %350, align 4
  %352 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %54, 1
  %353 = getelementptr inbounds nuw float, ptr %352, i64 %332
  %354 = load float, ptr %353, align 4
  %355 = fadd float %351, %354
  %356 = call float @llvm.maximum.f32(float %355, float 0.000000e+00)
  %357 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %162, 1
  %358 = mul nuw nsw i64 %328, 512
  %359 = mul nuw nsw i64 %332, 64
  %360 = add nuw nsw i64 %358, %359
  %361 = mul nuw nsw i64 %336, 8
  %362 = add nuw nsw i64 %360, %361
  %363 = add nuw nsw i64 %362, %340
  %364 = getelementptr inbounds nuw float, ptr %357, i64 %363
  store float %356, ptr %364, align 4
  %365 = add i64 %340, 1
  br label %339

366:                                              ; preds = %339
  %367 = add i64 %336, 1
  br label %335

368:                                              ; preds = %335
  %369 = add i64 %332, 1
  br label %331

370:                                              ; preds = %331
  %371 = add i64 %328, 1
  br label %327

372:                                              ; preds = %327
  %373 = call ptr @malloc(i64 3264)
  %374 = ptrtoint ptr %373 to i64
  %375 = add i64 %374, 63
  %376 = urem i64 %375, 64
  %377 = sub i64 %375, %376
  %378 = inttoptr i64 %377 to ptr
  %379 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %373, 0
  %380 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %379, ptr %378, 1
  %381 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %380, i64 0, 2
  %382 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %381, i64 1, 3, 0
  %383 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %382, i64 8, 3, 1
  %384 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %383, i64 10, 3, 2
  %385 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %384, i64 10, 3, 3
  %386 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %385, i64 800, 4, 0
  %387 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %386, i64 100, 4, 1
  %388 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %387, i64 10, 4, 2
  %389 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %388, i64 1, 4, 3
  br label %390

390:                                              ; preds = %419, %372
  %391 = phi i64 [ %420, %419 ], [ 0, %372 ]
  %392 = icmp slt i64 %391, 1
  br i1 %392, label %393, label %421

393:                                              ; preds = %390
  br label %394

394:                                              ; preds = %417, %393
  %395 = phi i64 [ %418, %417 ], [ 0, %393 ]
  %396 = icmp slt i64 %395, 8
  br i1 %396, label %397, label %419

397:                                              ; preds = %394
  br label %398

398:                                              ; preds = %415, %397
  %399 = phi i64 [ %416, %415 ], [ 0, %397 ]
  %400 = icmp slt i64 %399, 10
  br i1 %400, label %401, label %417

401:                                              ; preds = %398
  br label %402

402:                                              ; preds = %405, %401
  %403 = phi i64 [ %414, %405 ], [ 0, %401 ]
  %404 = icmp slt i64 %403, 10
  br i1 %404, label %405, label %415

405:                                              ; preds = %402
  %406 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %389, 1
  %407 = mul nuw nsw i64 %391, 800
  %408 = mul nuw nsw i64 %395, 100
  %409 = add nuw nsw i64 %407, %408
  %410 = mul nuw nsw i64 %399, 10
  %411 = add nuw nsw i64 %409, %410
  %412 = add nuw nsw i64 %411, %403
  %413 = getelementptr inbounds nuw float, ptr %406, i64 %412
  store float 0.000000e+00, ptr %413, align 4
  %414 = add i64 %403, 1
  br label %402

415:                                              ; preds = %402
  %416 = add i64 %399, 1
  br label %398

417:                                              ; preds = %398
  %418 = add i64 %395, 1
  br label %394

419:                                              ; preds = %394
  %420 = add i64 %391, 1
  br label %390

421:                                              ; preds = %390
  %422 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %389, 0
  %423 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %389, 1
  %424 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %422, 0
  %425 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %424, ptr %423, 1
  %426 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %425, i64 11, 2
  %427 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %426, i64 1, 3, 0
  %428 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %427, i64 800, 4, 0
  %429 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %428, i64 8, 3, 1
  %430 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %429, i64 100, 4, 1
  %431 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %430, i64 8, 3, 2
  %432 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %431, i64 10, 4, 2
  %433 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %432, i64 8, 3, 3
  %434 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %433, i64 1, 4, 3
  %435 = call ptr @llvm.stacksave.p0()
  %436 = alloca { ptr, ptr, i64, [4 x i64], [4 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %162, ptr %436, align 8
  %437 = insertvalue { i64, ptr } { i64 4, ptr poison }, ptr %436, 1
  %438 = alloca { ptr, ptr, i64, [4 x i64], [4 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %434, ptr %438, align 8
  %439 = insertvalue { i64, ptr } { i64 4, ptr poison }, ptr %438, 1
  %440 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %437, ptr %440, align 8
  %441 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %439, ptr %441, align 8
  call void @memrefCopy(i64 4, ptr %440, ptr %441)
  call void @llvm.stackrestore.p0(ptr %435)
  br label %442

442:                                              ; preds = %520, %421
  %443 = phi i64 [ %521, %520 ], [ 0, %421 ]
  %444 = icmp slt i64 %443, 1
  br i1 %444, label %445, label %522

445:                                              ; preds = %442
  br label %446

446:                                              ; preds = %518, %445
  %447 = phi i64 [ %519, %518 ], [ 0, %445 ]
  %448 = icmp slt i64 %447, 8
  br i1 %448, label %449, label %520

449:                                              ; preds = %446
  br label %450

450:                                              ; preds = %516, %449
  %451 = phi i64 [ %517, %516 ], [ 0, %449 ]
  %452 = icmp slt i64 %451, 8
  br i1 %452, label %453, label %518

453:                                              ; preds = %450
  br label %454

454:                                              ; preds = %514, %453
  %455 = phi i64 [ %515, %514 ], [ 0, %453 ]
  %456 = icmp slt i64 %455, 8
  br i1 %456, label %457, label %516

457:                                              ; preds = %454
  br label %458

458:                                              ; preds = %512, %457
  %459 = phi i64 [ %513, %512 ], [ 0, %457 ]
  %460 = icmp slt i64 %459, 8
  br i1 %460, label %461, label %514

461:                                              ; preds = %458
  br label %462

462:                                              ; preds = %510, %461
  %463 = phi i64 [ %511, %510 ], [ 0, %461 ]
  %464 = icmp slt i64 %463, 3
  br i1 %464, label %465, label %512

465:                                              ; preds = %462
  br label %466

466:                                              ; preds = %469, %465
  %467 = phi i64 [ %509, %469 ], [ 0, %465 ]
  %468 = icmp slt i64 %467, 3
  br i1 %468, label %469, label %510

469:                                              ; preds = %466
  %470 = add i64 %451, %463
  %471 = add i64 %455, %467
  %472 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %389, 1
  %473 = mul nuw nsw i64 %443, 800
  %474 = mul nuw nsw i64 %459, 100
  %475 = add nuw nsw i64 %473, %474
  %476 = mul nuw nsw i64 %470, 10
  %477 = add nuw nsw i64 %475, %476
  %478 = add nuw nsw i64 %477, %471
  %479 = getelementptr inbounds nuw float, ptr %472, i64 %478
  %480 = load float, ptr %479, align 4
  %481 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %49, 1
  %482 = mul nuw nsw i64 %447, 72
  %483 = mul nuw nsw i64 %459, 9
  %484 = add nuw nsw i64 %482, %483
  %485 = mul nuw nsw i64 %463, 3
  %486 = add nuw nsw i64 %484, %485
  %487 = add nuw nsw i64 %486, %467
  %488 = getelementptr inbounds nuw float, ptr %481, i64 %487
  %489 = load float, ptr %488, align 4
  %490 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %179, 1
  %491 = mul nuw nsw i64 %443, 512
  %492 = mul nuw nsw i64 %447, 64
  %493 = add nuw nsw i64 %491, %492
  %494 = mul nuw nsw i64 %451, 8
  %495 = add nuw nsw i64 %493, %494
  %496 = add nuw nsw i64 %495, %455
  %497 = getelementptr inbounds nuw float, ptr %490, i64 %496
  %498 = load float, ptr %497, align 4
  %499 = fmul float %480, %489
  %500 = fadd float %498, %499
  %501 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %179, 1
  %502 = mul nuw nsw i64 %443, 512
  %503 = mul nuw nsw i64 %447, 64
  %504 = add nuw nsw i64 %502, %503
  %505 = mul nuw nsw i64 %451, 8
  %506 = add nuw nsw i64 %504, %505
  %507 = add nuw nsw i64 %506, %455
  %508 = getelementptr inbounds nuw float, ptr %501, i64 %507
  store float %500, ptr %508, align 4
  %509 = add i64 %467, 1
  br label %466

510:                                              ; preds = %466
  %511 = add i64 %463, 1
  br label %462

512:                                              ; preds = %462
  %513 = add i64 %459, 1
  br label %458

514:                                              ; preds = %458
  %515 = add i64 %455, 1
  br label %454

516:                                              ; preds = %454
  %517 = add i64 %451, 1
  br label %450

518:                                              ; preds = %450
  %519 = add i64 %447, 1
  br label %446

520:                                              ; preds = %446
  %521 = add i64 %443, 1
  br label %442

522:                                              ; preds = %442
  br label %523

523:                                              ; preds = %571, %522
  %524 = phi i64 [ %572, %571 ], [ 0, %522 ]
  %525 = icmp slt i64 %524, 1
  br i1 %525, label %526, label %573

526:                                              ; preds = %523
  br label %527

527:                                              ; preds = %569, %526
  %528 = phi i64 [ %570, %569 ], [ 0, %526 ]
  %529 = icmp slt i64 %528, 8
  br i1 %529, label %530, label %571

530:                                              ; preds = %527
  br label %531

531:                                              ; preds = %567, %530
  %532 = phi i64 [ %568, %567 ], [ 0, %530 ]
  %533 = icmp slt i64 %532, 8
  br i1 %533, label %534, label %569

534:                                              ; preds = %531
  br label %535

535:                                              ; preds = %538, %534
  %536 = phi i64 [ %566, %538 ], [ 0, %534 ]
  %537 = icmp slt i64 %536, 8
  br i1 %537, label %538, label %567

538:                                              ; preds = %535
  %539 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %162, 1
  %540 = mul nuw nsw i64 %524, 512
  %541 = mul nuw nsw i64 %528, 64
  %542 = add nuw nsw i64 %540, %541
  %543 = mul nuw nsw i64 %532, 8
  %544 = add nuw nsw i64 %542, %543
  %545 = add nuw nsw i64 %544, %536
  %546 = getelementptr inbounds nuw float, ptr %539, i64 %545
  %547 = load float, ptr %546, align 4
  %548 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %179, 1
  %549 = mul nuw nsw i64 %524, 512
  %550 = mul nuw nsw i64 %528, 64
  %551 = add nuw nsw i64 %549, %550
  %552 = mul nuw nsw i64 %532, 8
  %553 = add nuw nsw i64 %551, %552
  %554 = add nuw nsw i64 %553, %536
  %555 = getelementptr inbounds nuw float, ptr %548, i64 %554
  %556 = load float, ptr %555, align 4
  %557 = fadd float %547, %556
  %558 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %162, 1
  %559 = mul nuw nsw i64 %524, 512
  %560 = mul nuw nsw i64 %528, 64
  %561 = add nuw nsw i64 %559, %560
  %562 = mul nuw nsw i64 %532, 8
  %563 = add nuw nsw i64 %561, %562
  %564 = add nuw nsw i64 %563, %536
  %565 = getelementptr inbounds nuw float, ptr %558, i64 %564
  store float %557, ptr %565, align 4
  %566 = add i64 %536, 1
  br label %535

567:                                              ; preds = %535
  %568 = add i64 %532, 1
  br label %531

569:                                              ; preds = %531
  %570 = add i64 %528, 1
  br label %527

571:                                              ; preds = %527
  %572 = add i64 %524, 1
  br label %523

573:                                              ; preds = %523
  ret { ptr, ptr, i64, [4 x i64], [4 x i64] } %162
}

define void @_mlir_ciface_block(ptr %0, ptr %1, ptr %2, ptr %3, ptr %4) {
  %6 = load { ptr, ptr, i64, [4 x i64], [4 x i64] }, ptr %1, align 8
  %7 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %6, 0
  %8 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %6, 1
  %9 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %6, 2
  %10 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %6, 3, 0
  %11 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %6, 3, 1
  %12 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %6, 3, 2
  %13 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %6, 3, 3
  %14 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %6, 4, 0
  %15 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %6, 4, 1
  %16 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %6, 4, 2
  %17 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %6, 4, 3
  %18 = load { ptr, ptr, i64, [4 x i64], [4 x i64] }, ptr %2, align 8
  %19 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %18, 0
  %20 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %18, 1
  %21 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %18, 2
  %22 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %18, 3, 0
  %23 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %18, 3, 1
  %24 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %18, 3, 2
  %25 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %18, 3, 3
  %26 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %18, 4, 0
  %27 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %18, 4, 1
  %28 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %18, 4, 2
  %29 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %18, 4, 3
  %30 = load { ptr, ptr, i64, [1 x i64], [1 x i64] }, ptr %3, align 8
  %31 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %30, 0
  %32 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %30, 1
  %33 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %30, 2
  %34 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %30, 3, 0
  %35 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %30, 4, 0
  %36 = load { ptr, ptr, i64, [4 x i64], [4 x i64] }, ptr %4, align 8
  %37 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, 0
  %38 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, 1
  %39 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, 2
  %40 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, 3, 0
  %41 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, 3, 1
  %42 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, 3, 2
  %43 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, 3, 3
  %44 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, 4, 0
  %45 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, 4, 1
  %46 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, 4, 2
  %47 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %36, 4, 3
  %48 = call { ptr, ptr, i64, [4 x i64], [4 x i64] } @block(ptr %7, ptr %8, i64 %9, i64 %10, i64 %11, i64 %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17, ptr %19, ptr %20, i64 %21, i64 %22, i64 %23, i64 %24, i64 %25, i64 %26, i64 %27, i64 %28, i64 %29, ptr %31, ptr %32, i64 %33, i64 %34, i64 %35, ptr %37, ptr %38, i64 %39, i64 %40, i64 %41, i64 %42, i64 %43, i64 %44, i64 %45, i64 %46, i64 %47)
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %48, ptr %0, align 8
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare ptr @llvm.stacksave.p0() #0

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.stackrestore.p0(ptr) #0

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maximum.f32(float, float) #2

attributes #0 = { nocallback nofree nosync nounwind willreturn }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
