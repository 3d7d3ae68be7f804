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
  %77 = call ptr @malloc(i64 2368)
  %78 = ptrtoint ptr %77 to i64
  %79 = add i64 %78, 63
  %80 = urem i64 %79, 64
  %81 = sub i64 %79, %80
  %82 = inttoptr i64 %81 to ptr
  %83 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %77, 0
  %84 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %83, ptr %82, 1
  %85 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %84, i64 0, 2
  %86 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %85, i64 3, 3, 0
  %87 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %86, i64 3, 3, 1
  %88 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %87, i64 8, 3, 2
  %89 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %88, i64 8, 3, 3
  %90 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %89, i64 192, 4, 0
  %91 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %90, i64 64, 4, 1
  %92 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %91, i64 8, 4, 2
  %93 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %92, i64 1, 4, 3
  br label %94

94:                                               ; preds = %132, %38
  %95 = phi i64 [ %133, %132 ], [ 0, %38 ]
  %96 = icmp slt i64 %95, 3
  br i1 %96, label %97, label %134

97:                                               ; preds = %94
  br label %98

98:                                               ; preds = %130, %97
  %99 = phi i64 [ %131, %130 ], [ 0, %97 ]
  %100 = icmp slt i64 %99, 3
  br i1 %100, label %101, label %132

101:                                              ; preds = %98
  br label %102

102:                                              ; preds = %128, %101
  %103 = phi i64 [ %129, %128 ], [ 0, %101 ]
  %104 = icmp slt i64 %103, 8
  br i1 %104, label %105, label %130

105:                                              ; preds = %102
  br label %106

106:                                              ; preds = %109, %105
  %107 = phi i64 [ %127, %109 ], [ 0, %105 ]
  %108 = icmp slt i64 %107, 8
  br i1 %108, label %109, label %128

109:                                              ; preds = %106
  %110 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %49, 1
  %111 = mul nuw nsw i64 %107, 72
  %112 = mul nuw nsw i64 %103, 9
  %113 = add nuw nsw i64 %111, %112
  %114 = mul nuw nsw i64 %95, 3
  %115 = add nuw nsw i64 %113, %114
  %116 = add nuw nsw i64 %115, %99
  %117 = getelementptr inbounds nuw float, ptr %110, i64 %116
  %118 = load float, ptr %117, align 4
  %119 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %93, 1
  %120 = mul nuw nsw i64 %95, 192
  %121 = mul nuw nsw i64 %99, 64
  %122 = add nuw nsw i64 %120, %121
  %123 = mul nuw nsw i64 %103, 8
  %124 = add nuw nsw i64 %122, %123
  %125 = add nuw nsw i64 %124, %107
  %126 = getelementptr inbounds nuw float, ptr %119, i64 %125
  store float %118, ptr %126, align 4
  %127 = add i64 %107, 1
  br label %106

128:                                              ; preds = %106
  %129 = add i64 %103, 1
  br label %102

130:                                              ; preds = %102
  %131 = add i64 %99, 1
  br label %98

132:                                              ; preds = %98
  %133 = add i64 %95, 1
  br label %94

134:                                              ; preds = %94
  %135 = call ptr @malloc(i64 928)
  %136 = ptrtoint ptr %135 to i64
  %137 = add i64 %136, 63
  %138 = urem i64 %137, 64
  %139 = sub i64 %137, %138
  %140 = inttoptr i64 %139 to ptr
  %141 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %135, 0
  %142 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %141, ptr %140, 1
  %143 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %142, i64 0, 2
  %144 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %143, i64 3, 3, 0
  %145 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %144, i64 3, 3, 1
  %146 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %145, i64 3, 3, 2
  %147 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %146, i64 8, 3, 3
  %148 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %147, i64 72, 4, 0
  %149 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %148, i64 24, 4, 1
  %150 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %149, i64 8, 4, 2
  %151 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %150, i64 1, 4, 3
  br label %152

152:                                              ; preds = %190, %134
  %153 = phi i64 [ %191, %190 ], [ 0, %134 ]
  %154 = icmp slt i64 %153, 3
  br i1 %154, label %155, label %192

155:                                              ; preds = %152
  br label %156

156:                                              ; preds = %188, %155
  %157 = phi i64 [ %189, %188 ], [ 0, %155 ]
  %158 = icmp slt i64 %157, 3
  br i1 %158, label %159, label %190

159:                                              ; preds = %156
  br label %160

160:                                              ; preds = %186, %159
  %161 = phi i64 [ %187, %186 ], [ 0, %159 ]
  %162 = icmp slt i64 %161, 3
  br i1 %162, label %163, label %188

163:                                              ; preds = %160
  br label %164

164:                                              ; preds = %167, %163
  %165 = phi i64 [ %185, %167 ], [ 0, %163 ]
  %166 = icmp slt i64 %165, 8
  br i1 %166, label %167, label %186

167:                                              ; preds = %164
  %168 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %65, 1
  %169 = mul nuw nsw i64 %165, 27
  %170 = mul nuw nsw i64 %161, 9
  %171 = add nuw nsw i64 %169, %170
  %172 = mul nuw nsw i64 %153, 3
  %173 = add nuw nsw i64 %171, %172
  %174 = add nuw nsw i64 %173, %157
  %175 = getelementptr inbounds nuw float, ptr %168, i64 %174
  %176 = load float, ptr %175, align 4
  %177 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %151, 1
  %178 = mul nuw nsw i64 %153, 72
  %179 = mul nuw nsw i64 %157, 24
  %180 = add nuw nsw i64 %178, %179
  %181 = mul nuw nsw i64 %161, 8
  %182 = add nuw nsw i64 %180, %181
  %183 = add nuw nsw i64 %182, %165
  %184 = getelementptr inbounds nuw float, ptr %177, i64 %183
  store float %176, ptr %184, align 4
  %185 = add i64 %165, 1
  br label %164

186:                                              ; preds = %164
  %187 = add i64 %161, 1
  br label %160

188:                                              ; preds = %160
  %189 = add i64 %157, 1
  br label %156

190:                                              ; preds = %156
  %191 = add i64 %153, 1
  br label %152

192:                                              ; preds = %152
  %193 = call ptr @malloc(i64 2764)
  %194 = ptrtoint ptr %193 to i64
  %195 = add i64 %194, 63
  %196 = urem i64 %195, 64
  %197 = sub i64 %195, %196
  %198 = inttoptr i64 %197 to ptr
  %199 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %193, 0
  %200 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %199, ptr %198, 1
  %201 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %200, i64 0, 2
  %202 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %201, i64 1, 3, 0
  %203 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %202, i64 15, 3, 1
  %204 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %203, i64 15, 3, 2
  %205 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %204, i64 3, 3, 3
  %206 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %205, i64 675, 4, 0
  %207 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %206, i64 45, 4, 1
  %208 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %207, i64 3, 4, 2
  %209 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %208, i64 1, 4, 3
  br label %210

210:                                              ; preds = %248, %192
  %211 = phi i64 [ %249, %248 ], [ 0, %192 ]
  %212 = icmp slt i64 %211, 1
  br i1 %212, label %213, label %250

213:                                              ; preds = %210
  br label %214

214:                                              ; preds = %246, %213
  %215 = phi i64 [ %247, %246 ], [ 0, %213 ]
  %216 = icmp slt i64 %215, 15
  br i1 %216, label %217, label %248

217:                                              ; preds = %214
  br label %218

218:                                              ; preds = %244, %217
  %219 = phi i64 [ %245, %244 ], [ 0, %217 ]
  %220 = icmp slt i64 %219, 15
  br i1 %220, label %221, label %246

221:                                              ; preds = %218
  br label %222

222:                                              ; preds = %225, %221
  %223 = phi i64 [ %243, %225 ], [ 0, %221 ]
  %224 = icmp slt i64 %223, 3
  br i1 %224, label %225, label %244

225:                                              ; preds = %222
  %226 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %76, 1
  %227 = mul nuw nsw i64 %211, 675
  %228 = mul nuw nsw i64 %223, 225
  %229 = add nuw nsw i64 %227, %228
  %230 = mul nuw nsw i64 %215, 15
  %231 = add nuw nsw i64 %229, %230
  %232 = add nuw nsw i64 %231, %219
  %233 = getelementptr inbounds nuw float, ptr %226, i64 %232
  %234 = load float, ptr %233, align 4
  %235 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %209, 1
  %236 = mul nuw nsw i64 %211, 675
  %237 = mul nuw nsw i64 %215, 45
  %238 = add nuw nsw i64 %236, %237
  %239 = mul nuw nsw i64 %219, 3
  %240 = add nuw nsw i64 %238, %239
  %241 = add nuw nsw i64 %240, %223
  %242 = getelementptr inbounds nuw float, ptr %235, i64 %241
  store float %234, ptr %242, align 4
  %243 = add i64 %223, 1
  br label %222

244:                                              ; preds = %222
  %245 = add i64 %219, 1
  br label %218

246:                                              ; preds = %218
  %247 = add i64 %215, 1
  br label %214

248:                                              ; preds = %214
  %249 = add i64 %211, 1
  br label %210

250:                                              ; preds = %210
  %251 = call ptr @malloc(i64 3532)
  %252 = ptrtoint ptr %251 to i64
  %253 = add i64 %252, 63
  %254 = urem i64 %253, 64
  %255 = sub i64 %253, %254
  %256 = inttoptr i64 %255 to ptr
  %257 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %251, 0
  %258 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %257, ptr %256, 1
  %259 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %258, i64 0, 2
  %260 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %259, i64 1, 3, 0
  %261 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %260, i64 17, 3, 1
  %262 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %261, i64 17, 3, 2
  %263 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %262, i64 3, 3, 3
  %264 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %263, i64 867, 4, 0
  %265 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %264, i64 51, 4, 1
  %266 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %265, i64 3, 4, 2
  %267 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %266, i64 1, 4, 3
  br label %268

268:                                              ; preds = %297, %250
  %269 = phi i64 [ %298, %297 ], [ 0, %250 ]
  %270 = icmp slt i64 %269, 1
  br i1 %270, label %271, label %299

271:                                              ; preds = %268
  br label %272

272:                                              ; preds = %295, %271
  %273 = phi i64 [ %296, %295 ], [ 0, %271 ]
  %274 = icmp slt i64 %273, 17
  br i1 %274, label %275, label %297

275:                                              ; preds = %272
  br label %276

276:                                              ; preds = %293, %275
  %277 = phi i64 [ %294, %293 ], [ 0, %275 ]
  %278 = icmp slt i64 %277, 17
  br i1 %278, label %279, label %295

279:                                              ; preds = %276
  br label %280

280:                                              ; preds = %283, %279
  %281 = phi i64 [ %292, %283 ], [ 0, %279 ]
  %282 = icmp slt i64 %281, 3
  br i1 %282, label %283, label %293

283:                                              ; preds = %280
  %284 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %267, 1
  %285 = mul nuw nsw i64 %269, 867
  %286 = mul nuw nsw i64 %273, 51
  %287 = add nuw nsw i64 %285, %286
  %288 = mul nuw nsw i64 %277, 3
  %289 = add nuw nsw i64 %287, %288
  %290 = add nuw nsw i64 %289, %281
  %291 = getelementptr inbounds nuw float, ptr %284, i64 %290
  store float 0.000000e+00, ptr %291, align 4
  %292 = add i64 %281, 1
  br label %280

293:                                              ; preds = %280
  %294 = add i64 %277, 1
  br label %276

295:                                              ; preds = %276
  %296 = add i64 %273, 1
  br label %272

297:                                              ; preds = %272
  %298 = add i64 %269, 1
  br label %268

299:                                              ; preds = %268
  %300 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %267, 0
  %301 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %267, 1
  %302 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %300, 0
  %303 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %302, ptr %301, 1
  %304 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %303, i64 54, 2
  %305 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %304, i64 1, 3, 0
  %306 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %305, i64 867, 4, 0
  %307 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %306, i64 15, 3, 1
  %308 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %307, i64 51, 4, 1
  %309 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %308, i64 15, 3, 2
  %310 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %309, i64 3, 4, 2
  %311 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %310, i64 3, 3, 3
  %312 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %311, i64 1, 4, 3
  %313 = call ptr @llvm.stacksave.p0()
  %314 = alloca { ptr, ptr, i64, [4 x i64], [4 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %209, ptr %314, align 8
  %315 = insertvalue { i64, ptr } { i64 4, ptr poison }, ptr %314, 1
  %316 = alloca { ptr, ptr, i64, [4 x i64], [4 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %312, ptr %316, align 8
  %317 = insertvalue { i64, ptr } { i64 4, ptr poison }, ptr %316, 1
  %318 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %315, ptr %318, align 8
  %319 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %317, ptr %319, align 8
  call void @memrefCopy(i64 4, ptr %318, ptr %319)
  call void @llvm.stackrestore.p0(ptr %313)
  %320 = call ptr @malloc(i64 2112)
  %321 = ptrtoint ptr %320 to i64
  %322 = add i64 %321, 63
  %323 = urem i64 %322, 64
  %324 = sub i64 %322, %323
  %325 = inttoptr i64 %324 to ptr
  %326 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %320, 0
  %327 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %326, ptr %325, 1
  %328 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %327, i64 0, 2
  %329 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %328, i64 1, 3, 0
  %330 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %329, i64 8, 3, 1
  %331 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %330, i64 8, 3, 2
  %332 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %331, i64 8, 3, 3
  %333 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %332, i64 512, 4, 0
  %334 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %333, i64 64, 4, 1
  %335 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %334, i64 8, 4, 2
  %336 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %335, i64 1, 4, 3
  %337 = call ptr @malloc(i64 2112)
  %338 = ptrtoint ptr %337 to i64
  %339 = add i64 %338, 63
  %340 = urem i64 %339, 64
  %341 = sub i64 %339, %340
  %342 = inttoptr i64 %341 to ptr
  %343 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %337, 0
  %344 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %343, ptr %342, 1
  %345 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %344, i64 0, 2
  %346 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %345, i64 1, 3, 0
  %347 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %346, i64 8, 3, 1
  %348 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %347, i64 8, 3, 2
  %349 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %348, i64 8, 3, 3
  %350 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %349, i64 512, 4, 0
  %351 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %350, i64 64, 4, 1
  %352 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %351, i64 8, 4, 2
  %353 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %352, i64 1, 4, 3
  %354 = call ptr @malloc(i64 2112)
  %355 = ptrtoint ptr %354 to i64
  %356 = add i64 %355, 63
  %357 = urem i64 %356, 64
  %358 = sub i64 %356, %357
  %359 = inttoptr i64 %358 to ptr
  %360 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %354, 0
  %361 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %360, ptr %359, 1
  %362 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %361, i64 0, 2
  %363 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %362, i64 1, 3, 0
  %364 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %363, i64 8, 3, 1
  %365 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %364, i64 8, 3, 2
  %366 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %365, i64 8, 3, 3
  %367 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %366, i64 512, 4, 0
  %368 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %367, i64 64, 4, 1
  %369 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %368, i64 8, 4, 2
  %370 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %369, i64 1, 4, 3
  %371 = call ptr @malloc(i64 2112)
  %372 = ptrtoint ptr %371 to i64
  %373 = add i64 %372, 63
  %374 = urem i64 %373, 64
  %375 = sub i64 %373, %374
  %376 = inttoptr i64 %375 to ptr
  %377 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %371, 0
  %378 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %377, ptr %376, 1
  %379 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %378, i64 0, 2
  %380 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %379, i64 1, 3, 0
  %381 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %380, i64 8, 3, 1
  %382 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %381, i64 8, 3, 2
  %383 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %382, i64 8, 3, 3
  %384 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %383, i64 512, 4, 0
  %385 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %384, i64 64, 4, 1
  %386 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %385, i64 8, 4, 2
  %387 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %386, i64 1, 4, 3
  br label %388

388:                                              ; preds = %417, %299
  %389 = phi i64 [ %418, %417 ], [ 0, %299 ]
  %390 = icmp slt i64 %389, 1
  br i1 %390, label %391, label %419

391:                                              ; preds = %388
  br label %392

392:                                              ; preds = %415, %391
  %393 = phi i64 [ %416, %415 ], [ 0, %391 ]
  %394 = icmp slt i64 %393, 8
  br i1 %394, label %395, label %417

395:                                              ; preds = %392
  br label %396

396:                                              ; preds = %413, %395
  %397 = phi i64 [ %414, %413 ], [ 0, %395 ]
  %398 = icmp slt i64 %397, 8
  br i1 %398, label %399, label %415

399:                                              ; preds = %396
  br label %400

400:                                              ; preds = %403, %399
  %401 = phi i64 [ %412, %403 ], [ 0, %399 ]
  %402 = icmp slt i64 %401, 8
  br i1 %402, label %403, label %413

403:                                              ; preds = %400
  %404 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %336, 1
  %405 = mul nuw nsw i64 %389, 512
  %406 = mul nuw nsw i64 %393, 64
  %407 = add nuw nsw i64 %405, %406
  %408 = mul nuw nsw i64 %397, 8
  %409 = add nuw nsw i64 %407, %408
  %410 = add nuw nsw i64 %409, %401
  %411 = getelementptr inbounds nuw float, ptr %404, i64 %410
  store float 0.000000e+00, ptr %411, align 4
  %412 = add i64 %401, 1
  br label %400

413:                                              ; preds = %400
  %414 = add i64 %397, 1
  br label %396

415:                                              ; preds = %396
  %416 = add i64 %393, 1
  br label %392

417:                                              ; preds = %392
  %418 = add i64 %389, 1
  br label %388

419:                                              ; preds = %388
  br label %420

420:                                              ; preds = %449, %419
  %421 = phi i64 [ %450, %449 ], [ 0, %419 ]
  %422 = icmp slt i64 %421, 1
  br i1 %422, label %423, label %451

423:                                              ; preds = %420
  br label %424

424:                                              ; preds = %447, %423
  %425 = phi i64 [ %448, %447 ], [ 0, %423 ]
  %426 = icmp slt i64 %425, 8
  br i1 %426, label %427, label %449

427:                                              ; preds = %424
  br label %428

428:                                              ; preds = %445, %427
  %429 = phi i64 [ %446, %445 ], [ 0, %427 ]
  %430 = icmp slt i64 %429, 8
  br i1 %430, label %431, label %447

431:                                              ; preds = %428
  br label %432

432:                                              ; preds = %435, %431
  %433 = phi i64 [ %444, %435 ], [ 0, %431 ]
  %434 = icmp slt i64 %433, 8
  br i1 %434, label %435, label %445

435:                                              ; preds = %432
  %436 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %370, 1
  %437 = mul nuw nsw i64 %421, 512
  %438 = mul nuw nsw i64 %425, 64
  %439 = add nuw nsw i64 %437, %438
  %440 = mul nuw nsw i64 %429, 8
  %441 = add nuw nsw i64 %439, %440
  %442 = add nuw nsw i64 %441, %433
  %443 = getelementptr inbounds nuw float, ptr %436, i64 %442
  store float 0.000000e+00, ptr %443, align 4
  %444 = add i64 %433, 1
  br label %432

445:                                              ; preds = %432
  %446 = add i64 %429, 1
  br label %428

447:                                              ; preds = %428
  %448 = add i64 %425, 1
  br label %424

449:                                              ; preds = %424
  %450 = add i64 %421, 1
  br label %420

451:                                              ; preds = %420
  br label %452

452:                                              ; preds = %532, %451
  %453 = phi i64 [ %533, %532 ], [ 0, %451 ]
  %454 = icmp slt i64 %453, 1
  br i1 %454, label %455, label %534

455:                                              ; preds = %452
  br label %456

456:                                              ; preds = %530, %455
  %457 = phi i64 [ %531, %530 ], [ 0, %455 ]
  %458 = icmp slt i64 %457, 8
  br i1 %458, label %459, label %532

459:                                              ; preds = %456
  br label %460

460:                                              ; preds = %528, %459
  %461 = phi i64 [ %529, %528 ], [ 0, %459 ]
  %462 = icmp slt i64 %461, 8
  br i1 %462, label %463, label %530

463:                                              ; preds = %460
  br label %464

464:                                              ; preds = %526, %463
  %465 = phi i64 [ %527, %526 ], [ 0, %463 ]
  %466 = icmp slt i64 %465, 8
  br i1 %466, label %467, label %528

467:                                              ; preds = %464
  br label %468

468:                                              ; preds = %524, %467
  %469 = phi i64 [ %525, %524 ], [ 0, %467 ]
  %470 = icmp slt i64 %469, 3
  br i1 %470, label %471, label %526

471:                                              ; preds = %468
  br label %472

472:                                              ; preds = %522, %471
  %473 = phi i64 [ %523, %522 ], [ 0, %471 ]
  %474 = icmp slt i64 %473, 3
  br i1 %474, label %475, label %524

475:                                              ; preds = %472
  br label %476

476:                                              ; preds = %479, %475
  %477 = phi i64 [ %521, %479 ], [ 0, %475 ]
  %478 = icmp slt i64 %477, 3
  br i1 %478, label %479, label %522

479:                                              ; preds = %476
  %480 = mul nsw i64 %457, 2
  %481 = add i64 %480, %469
  %482 = mul nsw i64 %461, 2
  %483 = add i64 %482, %473
  %484 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %267, 1
  %485 = mul nuw nsw i64 %453, 867
  %486 = mul nuw nsw i64 %481, 51
  %487 = add nuw nsw i64 %485, %486
  %488 = mul nuw nsw i64 %483, 3
  %489 = add nuw nsw i64 %487, %488
  %490 = add nuw nsw i64 %489, %477
  %491 = getelementptr inbounds nuw float, ptr %484, i64 %490
  %492 = load float, ptr %491, align 4
  %493 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %151, 1
  %494 = mul nuw nsw i64 %469, 72
  %495 = mul nuw nsw i64 %473, 24
  %496 = add nuw nsw i64 %494, %495
  %497 = mul nuw nsw i64 %477, 8
  %498 = add nuw nsw i64 %496, %497
  %499 = add nuw nsw i64 %498, %465
  %500 = getelementptr inbounds nuw float, ptr %493, i64 %499
  %501 = load float, ptr %500, align 4
  %502 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %336, 1
  %503 = mul nuw nsw i64 %453, 512
  %504 = mul nuw nsw i64 %457, 64
  %505 = add nuw nsw i64 %503, %504
  %506 = mul nuw nsw i64 %461, 8
  %507 = add nuw nsw i64 %505, %506
  %508 = add nuw nsw i64 %507, %465
  %509 = getelementptr inbounds nuw float, ptr %502, i64 %508
  %510 = load float, ptr %509, align 4
  %511 = fmul float %492, %501
  %512 = fadd float %510, %511
  %513 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %336, 1
  %514 = mul nuw nsw i64 %453, 512
  %515 = mul nuw nsw i64 %457, 64
  %516 = add nuw nsw i64 %514, %515
  %517 = mul nuw nsw i64 %461, 8
  %518 = add nuw nsw i64 %516, %517
  %519 = add nuw nsw i64 %518, %465
  %520 = getelementptr inbounds nuw float, ptr %513, i64 %519
  store float %512, ptr %520, align 4
  %521 = add i64 %477, 1
  br label %476

522:                                              ; preds = %476
  %523 = add i64 %473, 1
  br label %472

524:                                              ; preds = %472
  %525 = add i64 %469, 1
  br label %468

526:                                              ; preds = %468
  %527 = add i64 %465, 1
  br label %464

528:                                              ; preds = %464
  %529 = add i64 %461, 1
  br label %460

530:                                              ; preds = %460
  %531 = add i64 %457, 1
  br label %456

532:                                              ; preds = %456
  %533 = add i64 %453, 1
  br label %452

534:                                              ; preds = %452
  br label %535

535:                                              ; preds = %578, %534
  %536 = phi i64 [ %579, %578 ], [ 0, %534 ]
  %537 = icmp slt i64 %536, 1
  br i1 %537, label %538, label %580

538:                                              ; preds = %535
  br label %539

539:                                              ; preds = %576, %538
  %540 = phi i64 [ %577, %576 ], [ 0, %538 ]
  %541 = icmp slt i64 %540, 8
  br i1 %541, label %542, label %578

542:                                              ; preds = %539
  br label %543

543:                                              ; preds = %574, %542
  %544 = phi i64 [ %575, %574 ], [ 0, %542 ]
  %545 = icmp slt i64 %544, 8
  br i1 %545, label %546, label %576

546:                                              ; preds = %543
  br label %547

547:                                              ; preds = %550, %546
  %548 = phi i64 [ %573, %550 ], [ 0, %546 ]
  %549 = icmp slt i64 %548, 8
  br i1 %549, label %550, label %574

550:                                              ; preds = %547
  %551 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %336, 1
  %552 = mul nuw nsw i64 %536, 512
  %553 = mul nuw nsw i64 %540, 64
  %554 = add nuw nsw i64 %552, %553
  %555 = mul nuw nsw i64 %544, 8
  %556 = add nuw nsw i64 %554, %555
  %557 = add nuw nsw i64 %556, %548
  %558 = getelementptr inbounds nuw float, ptr %551, i64 %557
  %559 = load float, ptr %558, align 4
  %560 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %54, 1
  %561 = getelementptr inbounds nuw float, ptr %560, i64 %548
  %562 = load float, ptr %561, align 4
  %563 = fadd float %559, %562
  %564 = call float @llvm.maximum.f32(float %563, float 0.000000e+00)
  %565 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %353, 1
  %566 = mul nuw nsw i64 %536, 512
  %567 = mul nuw nsw i64 %540, 64
  %568 = add nuw nsw i64 %566, %567
  %569 = mul nuw nsw i64 %544, 8
  %570 = add nuw nsw i64 %568, %569
  %571 = add nuw nsw i64 %570, %548
  %572 = getelementptr inbounds nuw float, ptr %565, i64 %571
  store float %564, ptr %572, align 4
  %573 = add i64 %548, 1
  br label %547

574:                                              ; preds = %547
  %575 = add i64 %544, 1
  br label %543

576:                                              ; preds = %543
  %577 = add i64 %540, 1
  br label %539

578:                                              ; preds = %539
  %579 = add i64 %536, 1
  br label %535

580:                                              ; preds = %535
  %581 = call ptr @malloc(i64 3264)
  %582 = ptrtoint ptr %581 to i64
  %583 = add i64 %582, 63
  %584 = urem i64 %583, 64
  %585 = sub i64 %583, %584
  %586 = inttoptr i64 %585 to ptr
  %587 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %581, 0
  %588 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %587, ptr %586, 1
  %589 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %588, i64 0, 2
  %590 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %589, i64 1, 3, 0
  %591 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %590, i64 10, 3, 1
  %592 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %591, i64 10, 3, 2
  %593 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %592, i64 8, 3, 3
  %594 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %593, i64 800, 4, 0
  %595 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %594, i64 80, 4, 1
  %596 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %595, i64 8, 4, 2
  %597 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %596, i64 1, 4, 3
  br label %598

598:                                              ; preds = %627, %580
  %599 = phi i64 [ %628, %627 ], [ 0, %580 ]
  %600 = icmp slt i64 %599, 1
  br i1 %600, label %601, label %629

601:                                              ; preds = %598
  br label %602

602:                                              ; preds = %625, %601
  %603 = phi i64 [ %626, %625 ], [ 0, %601 ]
  %604 = icmp slt i64 %603, 10
  br i1 %604, label %605, label %627

605:                                              ; preds = %602
  br label %606

606:                                              ; preds = %623, %605
  %607 = phi i64 [ %624, %623 ], [ 0, %605 ]
  %608 = icmp slt i64 %607, 10
  br i1 %608, label %609, label %625

609:                                              ; preds = %606
  br label %610

610:                                              ; preds = %613, %609
  %611 = phi i64 [ %622, %613 ], [ 0, %609 ]
  %612 = icmp slt i64 %611, 8
  br i1 %612, label %613, label %623

613:                                              ; preds = %610
  %614 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %597, 1
  %615 = mul nuw nsw i64 %599, 800
  %616 = mul nuw nsw i64 %603, 80
  %617 = add nuw nsw i64 %615, %616
  %618 = mul nuw nsw i64 %607, 8
  %619 = add nuw nsw i64 %617, %618
  %620 = add nuw nsw i64 %619, %611
  %621 = getelementptr inbounds nuw float, ptr %614, i64 %620
  store float 0.000000e+00, ptr %621, align 4
  %622 = add i64 %611, 1
  br label %610

623:                                              ; preds = %610
  %624 = add i64 %607, 1
  br label %606

625:                                              ; preds = %606
  %626 = add i64 %603, 1
  br label %602

627:                                              ; preds = %602
  %628 = add i64 %599, 1
  br label %598

629:                                              ; preds = %598
  %630 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %597, 0
  %631 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %597, 1
  %632 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %630, 0
  %633 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %632, ptr %631, 1
  %634 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %633, i64 88, 2
  %635 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %634, i64 1, 3, 0
  %636 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %635, i64 800, 4, 0
  %637 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %636, i64 8, 3, 1
  %638 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %637, i64 80, 4, 1
  %639 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %638, i64 8, 3, 2
  %640 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %639, i64 8, 4, 2
  %641 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %640, i64 8, 3, 3
  %642 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %641, i64 1, 4, 3
  %643 = call ptr @llvm.stacksave.p0()
  %644 = alloca { ptr, ptr, i64, [4 x i64], [4 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %353, ptr %644, align 8
  %645 = insertvalue { i64, ptr } { i64 4, ptr poison }, ptr %644, 1
  %646 = alloca { ptr, ptr, i64, [4 x i64], [4 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %642, ptr %646, align 8
  %647 = insertvalue { i64, ptr } { i64 4, ptr poison }, ptr %646, 1
  %648 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %645, ptr %648, align 8
  %649 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %647, ptr %649, align 8
  call void @memrefCopy(i64 4, ptr %648, ptr %649)
  call void @llvm.stackrestore.p0(ptr %643)
  br label %650

650:                                              ; preds = %728, %629
  %651 = phi i64 [ %729, %728 ], [ 0, %629 ]
  %652 = icmp slt i64 %651, 1
  br i1 %652, label %653, label %730

653:                                              ; preds = %650
  br label %654

654:                                              ; preds = %726, %653
  %655 = phi i64 [ %727, %726 ], [ 0, %653 ]
  %656 = icmp slt i64 %655, 8
  br i1 %656, label %657, label %728

657:                                              ; preds = %654
  br label %658

658:                                              ; preds = %724, %657
  %659 = phi i64 [ %725, %724 ], [ 0, %657 ]
  %660 = icmp slt i64 %659, 8
  br i1 %660, label %661, label %726

661:                                              ; preds = %658
  br label %662

662:                                              ; preds = %722, %661
  %663 = phi i64 [ %723, %722 ], [ 0, %661 ]
  %664 = icmp slt i64 %663, 8
  br i1 %664, label %665, label %724

665:                                              ; preds = %662
  br label %666

666:                                              ; preds = %720, %665
  %667 = phi i64 [ %721, %720 ], [ 0, %665 ]
  %668 = icmp slt i64 %667, 3
  br i1 %668, label %669, label %722

669:                                              ; preds = %666
  br label %670

670:                                              ; preds = %718, %669
  %671 = phi i64 [ %719, %718 ], [ 0, %669 ]
  %672 = icmp slt i64 %671, 3
  br i1 %672, label %673, label %720

673:                                              ; preds = %670
  br label %674

674:                                              ; preds = %677, %673
  %675 = phi i64 [ %717, %677 ], [ 0, %673 ]
  %676 = icmp slt i64 %675, 8
  br i1 %676, label %677, label %718

677:                                              ; preds = %674
  %678 = add i64 %655, %667
  %679 = add i64 %659, %671
  %680 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %597, 1
  %681 = mul nuw nsw i64 %651, 800
  %682 = mul nuw nsw i64 %678, 80
  %683 = add nuw nsw i64 %681, %682
  %684 = mul nuw nsw i64 %679, 8
  %685 = add nuw nsw i64 %683, %684
  %686 = add nuw nsw i64 %685, %675
  %687 = getelementptr inbounds nuw float, ptr %680, i64 %686
  %688 = load float, ptr %687, align 4
  %689 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %93, 1
  %690 = mul nuw nsw i64 %667, 192
  %691 = mul nuw nsw i64 %671, 64
  %692 = add nuw nsw i64 %690, %691
  %693 = mul nuw nsw i64 %675, 8
  %694 = add nuw nsw i64 %692, %693
  %695 = add nuw nsw i64 %694, %663
  %696 = getelementptr inbounds nuw float, ptr %689, i64 %695
  %697 = load float, ptr %696, align 4
  %698 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %370, 1
  %699 = mul nuw nsw i64 %651, 512
  %700 = mul nuw nsw i64 %655, 64
  %701 = add nuw nsw i64 %699, %700
  %702 = mul nuw nsw i64 %659, 8
  %703 = add nuw nsw i64 %701, %702
  %704 = add nuw nsw i64 %703, %663
  %705 = getelementptr inbounds nuw float, ptr %698, i64 %704
  %706 = load float, ptr %705, align 4
  %707 = fmul float %688, %697
  %708 = fadd float %706, %707
  %709 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %370, 1
  %710 = mul nuw nsw i64 %651, 512
  %711 = mul nuw nsw i64 %655, 64
  %712 = add nuw nsw i64 %710, %711
  %713 = mul nuw nsw i64 %659, 8
  %714 = add nuw nsw i64 %712, %713
  %715 = add nuw nsw i64 %714, %663
  %716 = getelementptr inbounds nuw float, ptr %709, i64 %715
  store float %708, ptr %716, align 4
  %717 = add i64 %675, 1
  br label %674

718:                                              ; preds = %674
  %719 = add i64 %671, 1
  br label %670

720:                                              ; preds = %670
  %721 = add i64 %667, 1
  br label %666

722:                                              ; preds = %666
  %723 = add i64 %663, 1
  br label %662

724:                                              ; preds = %662
  %725 = add i64 %659, 1
  br label %658

726:                                              ; preds = %658
  %727 = add i64 %655, 1
  br label %654

728:                                              ; preds = %654
  %729 = add i64 %651, 1
  br label %650

730:                                              ; preds = %650
  br label %731

731:                                              ; preds = %779, %730
  %732 = phi i64 [ %780, %779 ], [ 0, %730 ]
  %733 = icmp slt i64 %732, 1
  br i1 %733, label %734, label %781

734:                                              ; preds = %731
  br label %735

735:                                              ; preds = %777, %734
  %736 = phi i64 [ %778, %777 ], [ 0, %734 ]
  %737 = icmp slt i64 %736, 8
  br i1 %737, label %738, label %779

738:                                              ; preds = %735
  br label %739

739:                                              ; preds = %775, %738
  %740 = phi i64 [ %776, %775 ], [ 0, %738 ]
  %741 = icmp slt i64 %740, 8
  br i1 %741, label %742, label %777

742:                                              ; preds = %739
  br label %743

743:                                              ; preds = %746, %742
  %744 = phi i64 [ %774, %746 ], [ 0, %742 ]
  %745 = icmp slt i64 %744, 8
  br i1 %745, label %746, label %775

746:                                              ; preds = %743
  %747 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %353, 1
  %748 = mul nuw nsw i64 %732, 512
  %749 = mul nuw nsw i64 %736, 64
  %750 = add nuw nsw i64 %748, %749
  %751 = mul nuw nsw i64 %740, 8
  %752 = add nuw nsw i64 %750, %751
  %753 = add nuw nsw i64 %752, %744
  %754 = getelementptr inbounds nuw float, ptr %747, i64 %753
  %755 = load float, ptr %754, align 4
  %756 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %370, 1
  %757 = mul nuw nsw i64 %732, 512
  %758 = mul nuw nsw i64 %736, 64
  %759 = add nuw nsw i64 %757, %758
  %760 = mul nuw nsw i64 %740, 8
  %761 = add nuw nsw i64 %759, %760
  %762 = add nuw nsw i64 %761, %744
  %763 = getelementptr inbounds nuw float, ptr %756, i64 %762
  %764 = load float, ptr %763, align 4
  %765 = fadd float %755, %764
  %766 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %387, 1
  %767 = mul nuw nsw i64 %732, 512
  %768 = mul nuw nsw i64 %736, 64
  %769 = add nuw nsw i64 %767, %768
  %770 = mul nuw nsw i64 %740, 8
  %771 = add nuw nsw i64 %769, %770
  %772 = add nuw nsw i64 %771, %744
  %773 = getelementptr inbounds nuw float, ptr %766, i64 %772
  store float %765, ptr %773, align 4
  %774 = add i64 %744, 1
  br label %743

775:                                              ; preds = %743
  %776 = add i64 %740, 1
  br label %739

777:                                              ; preds = %739
  %778 = add i64 %736, 1
  br label %735

779:                                              ; preds = %735
  %780 = add i64 %732, 1
  br label %731

781:                                              ; preds = %731
  %782 = call ptr @malloc(i64 2112)
  %783 = ptrtoint ptr %782 to i64
  %784 = add i64 %783, 63
  %785 = urem i64 %784, 64
  %786 = sub i64 %784, %785
  %787 = inttoptr i64 %786 to ptr
  %788 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %782, 0
  %789 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %788, ptr %787, 1
  %790 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %789, i64 0, 2
  %791 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %790, i64 1, 3, 0
  %792 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %791, i64 8, 3, 1
  %793 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %792, i64 8, 3, 2
  %794 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %793, i64 8, 3, 3
  %795 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %794, i64 512, 4, 0
  %796 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %795, i64 64, 4, 1
  %797 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %796, i64 8, 4, 2
  %798 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %797, i64 1, 4, 3
  br label %799

799:                                              ; preds = %837, %781
  %800 = phi i64 [ %838, %837 ], [ 0, %781 ]
  %801 = icmp slt i64 %800, 1
  br i1 %801, label %802, label %839

802:                                              ; preds = %799
  br label %803

803:                                              ; preds = %835, %802
  %804 = phi i64 [ %836, %835 ], [ 0, %802 ]
  %805 = icmp slt i64 %804, 8
  br i1 %805, label %806, label %837

806:                                              ; preds = %803
  br label %807

807:                                              ; preds = %833, %806
  %808 = phi i64 [ %834, %833 ], [ 0, %806 ]
  %809 = icmp slt i64 %808, 8
  br i1 %809, label %810, label %835

810:                                              ; preds = %807
  br label %811

811:                                              ; preds = %814, %810
  %812 = phi i64 [ %832, %814 ], [ 0, %810 ]
  %813 = icmp slt i64 %812, 8
  br i1 %813, label %814, label %833

814:                                              ; preds = %811
  %815 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %387, 1
  %816 = mul nuw nsw i64 %800, 512
  %817 = mul nuw nsw i64 %808, 64
  %818 = add nuw nsw i64 %816, %817
  %819 = mul nuw nsw i64 %812, 8
  %820 = add nuw nsw i64 %818, %819
  %821 = add nuw nsw i64 %820, %804
  %822 = getelementptr inbounds nuw float, ptr %815, i64 %821
  %823 = load float, ptr %822, align 4
  %824 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %798, 1
  %825 = mul nuw nsw i64 %800, 512
  %826 = mul nuw nsw i64 %804, 64
  %827 = add nuw nsw i64 %825, %826
  %828 = mul nuw nsw i64 %808, 8
  %829 = add nuw nsw i64 %827, %828
  %830 = add nuw nsw i64 %829, %812
  %831 = getelementptr inbounds nuw float, ptr %824, i64 %830
  store float %823, ptr %831, align 4
  %832 = add i64 %812, 1
  br label %811

833:                                              ; preds = %811
  %834 = add i64 %808, 1
  br label %807

835:                                              ; preds = %807
  %836 = add i64 %804, 1
  br label %803

837:                                              ; preds = %803
  %838 = add i64 %800, 1
  br label %799

839:                                              ; preds = %799
  ret { ptr, ptr, i64, [4 x i64], [4 x i64] } %798
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

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maximum.f32(float, float) #1

attributes #0 = { nocallback nofree nosync nounwind willreturn }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
