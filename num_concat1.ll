; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare void @memrefCopy(i64, ptr, ptr)

declare ptr @malloc(i64)

define { { ptr, ptr, i64, [3 x i64], [3 x i64] }, float } @concat(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10, ptr %11, ptr %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17, i64 %18, i64 %19, i64 %20, i64 %21) {
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
  %45 = call ptr @malloc(i64 160)
  %46 = ptrtoint ptr %45 to i64
  %47 = add i64 %46, 63
  %48 = urem i64 %47, 64
  %49 = sub i64 %47, %48
  %50 = inttoptr i64 %49 to ptr
  %51 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %45, 0
  %52 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %51, ptr %50, 1
  %53 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %52, i64 0, 2
  %54 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %53, i64 1, 3, 0
  %55 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %54, i64 1, 3, 1
  %56 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %55, i64 3, 3, 2
  %57 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %56, i64 8, 3, 3
  %58 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %57, i64 24, 4, 0
  %59 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %58, i64 24, 4, 1
  %60 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %59, i64 8, 4, 2
  %61 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %60, i64 1, 4, 3
  br label %62

62:                                               ; preds = %98, %22
  %63 = phi i64 [ %99, %98 ], [ 0, %22 ]
  %64 = icmp slt i64 %63, 1
  br i1 %64, label %65, label %100

65:                                               ; preds = %62
  br label %66

66:                                               ; preds = %96, %65
  %67 = phi i64 [ %97, %96 ], [ 0, %65 ]
  %68 = icmp slt i64 %67, 1
  br i1 %68, label %69, label %98

69:                                               ; preds = %66
  br label %70

70:                                               ; preds = %94, %69
  %71 = phi i64 [ %95, %94 ], [ 0, %69 ]
  %72 = icmp slt i64 %71, 3
  br i1 %72, label %73, label %96

73:                                               ; preds = %70
  br label %74

74:                                               ; preds = %77, %73
  %75 = phi i64 [ %93, %77 ], [ 0, %73 ]
  %76 = icmp slt i64 %75, 8
  br i1 %76, label %77, label %94

77:                                               ; preds = %74
  %78 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %33, 1
  %79 = mul nuw nsw i64 %75, 3
  %80 = add nuw nsw i64 %79, %71
  %81 = add nuw nsw i64 %80, %63
  %82 = add nuw nsw i64 %81, %67
  %83 = getelementptr inbounds nuw float, ptr %78, i64 %82
  %84 = load float, ptr %83, align 4
  %85 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %86 = mul nuw nsw i64 %63, 24
  %87 = mul nuw nsw i64 %67, 24
  %88 = add nuw nsw i64 %86, %87
  %89 = mul nuw nsw i64 %71, 8
  %90 = add nuw nsw i64 %88, %89
  %91 = add nuw nsw i64 %90, %75
  %92 = getelementptr inbounds nuw float, ptr %85, i64 %91
  store float %84, ptr %92, align 4
  %93 = add i64 %75, 1
  br label %74

94:                                               ; preds = %74
  %95 = add i64 %71, 1
  br label %70

96:                                               ; preds = %70
  %97 = add i64 %67, 1
  br label %66

98:                                               ; preds = %66
  %99 = add i64 %63, 1
  br label %62

100:                                              ; preds = %62
  %101 = call ptr @malloc(i64 256)
  %102 = ptrtoint ptr %101 to i64
  %103 = add i64 %102, 63
  %104 = urem i64 %103, 64
  %105 = sub i64 %103, %104
  %106 = inttoptr i64 %105 to ptr
  %107 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %101, 0
  %108 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %107, ptr %106, 1
  %109 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %108, i64 0, 2
  %110 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %109, i64 1, 3, 0
  %111 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %110, i64 4, 3, 1
  %112 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %111, i64 4, 3, 2
  %113 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %112, i64 3, 3, 3
  %114 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %113, i64 48, 4, 0
  %115 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %114, i64 12, 4, 1
  %116 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %115, i64 3, 4, 2
  %117 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %116, i64 1, 4, 3
  br label %118

118:                                              ; preds = %156, %100
  %119 = phi i64 [ %157, %156 ], [ 0, %100 ]
  %120 = icmp slt i64 %119, 1
  br i1 %120, label %121, label %158

121:                                              ; preds = %118
  br label %122

122:                                              ; preds = %154, %121
  %123 = phi i64 [ %155, %154 ], [ 0, %121 ]
  %124 = icmp slt i64 %123, 4
  br i1 %124, label %125, label %156

125:                                              ; preds = %122
  br label %126

126:                                              ; preds = %152, %125
  %127 = phi i64 [ %153, %152 ], [ 0, %125 ]
  %128 = icmp slt i64 %127, 4
  br i1 %128, label %129, label %154

129:                                              ; preds = %126
  br label %130

130:                                              ; preds = %133, %129
  %131 = phi i64 [ %151, %133 ], [ 0, %129 ]
  %132 = icmp slt i64 %131, 3
  br i1 %132, label %133, label %152

133:                                              ; preds = %130
  %134 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 1
  %135 = mul nuw nsw i64 %119, 48
  %136 = mul nuw nsw i64 %131, 16
  %137 = add nuw nsw i64 %135, %136
  %138 = mul nuw nsw i64 %123, 4
  %139 = add nuw nsw i64 %137, %138
  %140 = add nuw nsw i64 %139, %127
  %141 = getelementptr inbounds nuw float, ptr %134, i64 %140
  %142 = load float, ptr %141, align 4
  %143 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %117, 1
  %144 = mul nuw nsw i64 %119, 48
  %145 = mul nuw nsw i64 %123, 12
  %146 = add nuw nsw i64 %144, %145
  %147 = mul nuw nsw i64 %127, 3
  %148 = add nuw nsw i64 %146, %147
  %149 = add nuw nsw i64 %148, %131
  %150 = getelementptr inbounds nuw float, ptr %143, i64 %149
  store float %142, ptr %150, align 4
  %151 = add i64 %131, 1
  br label %130

152:                                              ; preds = %130
  %153 = add i64 %127, 1
  br label %126

154:                                              ; preds = %126
  %155 = add i64 %123, 1
  br label %122

156:                                              ; preds = %122
  %157 = add i64 %119, 1
  br label %118

158:                                              ; preds = %118
  %159 = call ptr @malloc(i64 576)
  %160 = ptrtoint ptr %159 to i64
  %161 = add i64 %160, 63
  %162 = urem i64 %161, 64
  %163 = sub i64 %161, %162
  %164 = inttoptr i64 %163 to ptr
  %165 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %159, 0
  %166 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %165, ptr %164, 1
  %167 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %166, i64 0, 2
  %168 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %167, i64 1, 3, 0
  %169 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %168, i64 4, 3, 1
  %170 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %169, i64 4, 3, 2
  %171 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %170, i64 8, 3, 3
  %172 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %171, i64 128, 4, 0
  %173 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %172, i64 32, 4, 1
  %174 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %173, i64 8, 4, 2
  %175 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %174, i64 1, 4, 3
  br label %176

176:                                              ; preds = %205, %158
  %177 = phi i64 [ %206, %205 ], [ 0, %158 ]
  %178 = icmp slt i64 %177, 1
  br i1 %178, label %179, label %207

179:                                              ; preds = %176
  br label %180

180:                                              ; preds = %203, %179
  %181 = phi i64 [ %204, %203 ], [ 0, %179 ]
  %182 = icmp slt i64 %181, 4
  br i1 %182, label %183, label %205

183:                                              ; preds = %180
  br label %184

184:                                              ; preds = %201, %183
  %185 = phi i64 [ %202, %201 ], [ 0, %183 ]
  %186 = icmp slt i64 %185, 4
  br i1 %186, label %187, label %203

187:                                              ; preds = %184
  br label %188

188:                                              ; preds = %191, %187
  %189 = phi i64 [ %200, %191 ], [ 0, %187 ]
  %190 = icmp slt i64 %189, 8
  br i1 %190, label %191, label %201

191:                                              ; preds = %188
  %192 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %175, 1
  %193 = mul nuw nsw i64 %177, 128
  %194 = mul nuw nsw i64 %181, 32
  %195 = add nuw nsw i64 %193, %194
  %196 = mul nuw nsw i64 %185, 8
  %197 = add nuw nsw i64 %195, %196
  %198 = add nuw nsw i64 %197, %189
  %199 = getelementptr inbounds nuw float, ptr %192, i64 %198
  store float 0.000000e+00, ptr %199, align 4
  %200 = add i64 %189, 1
  br label %188

201:                                              ; preds = %188
  %202 = add i64 %185, 1
  br label %184

203:                                              ; preds = %184
  %204 = add i64 %181, 1
  br label %180

205:                                              ; preds = %180
  %206 = add i64 %177, 1
  br label %176

207:                                              ; preds = %176
  br label %208

208:                                              ; preds = %286, %207
  %209 = phi i64 [ %287, %286 ], [ 0, %207 ]
  %210 = icmp slt i64 %209, 1
  br i1 %210, label %211, label %288

211:                                              ; preds = %208
  br label %212

212:                                              ; preds = %284, %211
  %213 = phi i64 [ %285, %284 ], [ 0, %211 ]
  %214 = icmp slt i64 %213, 4
  br i1 %214, label %215, label %286

215:                                              ; preds = %212
  br label %216

216:                                              ; preds = %282, %215
  %217 = phi i64 [ %283, %282 ], [ 0, %215 ]
  %218 = icmp slt i64 %217, 4
  br i1 %218, label %219, label %284

219:                                              ; preds = %216
  br label %220

220:                                              ; preds = %280, %219
  %221 = phi i64 [ %281, %280 ], [ 0, %219 ]
  %222 = icmp slt i64 %221, 8
  br i1 %222, label %223, label %282

223:                                              ; preds = %220
  br label %224

224:                                              ; preds = %278, %223
  %225 = phi i64 [ %279, %278 ], [ 0, %223 ]
  %226 = icmp slt i64 %225, 1
  br i1 %226, label %227, label %280

227:                                              ; preds = %224
  br label %228

228:                                              ; preds = %276, %227
  %229 = phi i64 [ %277, %276 ], [ 0, %227 ]
  %230 = icmp slt i64 %229, 1
  br i1 %230, label %231, label %278

231:                                              ; preds = %228
  br label %232

232:                                              ; preds = %235, %231
  %233 = phi i64 [ %275, %235 ], [ 0, %231 ]
  %234 = icmp slt i64 %233, 3
  br i1 %234, label %235, label %276

235:                                              ; preds = %232
  %236 = add i64 %213, %225
  %237 = add i64 %217, %229
  %238 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %117, 1
  %239 = mul nuw nsw i64 %209, 48
  %240 = mul nuw nsw i64 %236, 12
  %241 = add nuw nsw i64 %239, %240
  %242 = mul nuw nsw i64 %237, 3
  %243 = add nuw nsw i64 %241, %242
  %244 = add nuw nsw i64 %243, %233
  %245 = getelementptr inbounds nuw float, ptr %238, i64 %244
  %246 = load float, ptr %245, align 4
  %247 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %248 = mul nuw nsw i64 %225, 24
  %249 = mul nuw nsw i64 %229, 24
  %250 = add nuw nsw i64 %248, %249
  %251 = mul nuw nsw i64 %233, 8
  %252 = add nuw nsw i64 %250, %251
  %253 = add nuw nsw i64 %252, %221
  %254 = getelementptr inbounds nuw float, ptr %247, i64 %253
  %255 = load float, ptr %254, align 4
  %256 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %175, 1
  %257 = mul nuw nsw i64 %209, 128
  %258 = mul nuw nsw i64 %213, 32
  %259 = add nuw nsw i64 %257, %258
  %260 = mul nuw nsw i64 %217, 8
  %261 = add nuw nsw i64 %259, %260
  %262 = add nuw nsw i64 %261, %221
  %263 = getelementptr inbounds nuw float, ptr %256, i64 %262
  %264 = load float, ptr %263, align 4
  %265 = fmul float %246, %255
  %266 = fadd float %264, %265
  %267 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %175, 1
  %268 = mul nuw nsw i64 %209, 128
  %269 = mul nuw nsw i64 %213, 32
  %270 = add nuw nsw i64 %268, %269
  %271 = mul nuw nsw i64 %217, 8
  %272 = add nuw nsw i64 %270, %271
  %273 = add nuw nsw i64 %272, %221
  %274 = getelementptr inbounds nuw float, ptr %267, i64 %273
  store float %266, ptr %274, align 4
  %275 = add i64 %233, 1
  br label %232

276:                                              ; preds = %232
  %277 = add i64 %229, 1
  br label %228

278:                                              ; preds = %228
  %279 = add i64 %225, 1
  br label %224

280:                                              ; preds = %224
  %281 = add i64 %221, 1
  br label %220

282:                                              ; preds = %220
  %283 = add i64 %217, 1
  br label %216

284:                                              ; preds = %216
  %285 = add i64 %213, 1
  br label %212

286:                                              ; preds = %212
  %287 = add i64 %209, 1
  br label %208

288:                                              ; preds = %208
  %289 = call ptr @malloc(i64 1088)
  %290 = ptrtoint ptr %289 to i64
  %291 = add i64 %290, 63
  %292 = urem i64 %291, 64
  %293 = sub i64 %291, %292
  %294 = inttoptr i64 %293 to ptr
  %295 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %289, 0
  %296 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %295, ptr %294, 1
  %297 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %296, i64 0, 2
  %298 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %297, i64 1, 3, 0
  %299 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %298, i64 4, 3, 1
  %300 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %299, i64 4, 3, 2
  %301 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %300, i64 16, 3, 3
  %302 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %301, i64 256, 4, 0
  %303 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %302, i64 64, 4, 1
  %304 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %303, i64 16, 4, 2
  %305 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %304, i64 1, 4, 3
  %306 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %305, 0
  %307 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %305, 1
  %308 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %306, 0
  %309 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %308, ptr %307, 1
  %310 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %309, i64 0, 2
  %311 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %310, i64 1, 3, 0
  %312 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %311, i64 256, 4, 0
  %313 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %312, i64 4, 3, 1
  %314 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %313, i64 64, 4, 1
  %315 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %314, i64 4, 3, 2
  %316 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %315, i64 16, 4, 2
  %317 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %316, i64 8, 3, 3
  %318 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %317, i64 1, 4, 3
  %319 = call ptr @llvm.stacksave.p0()
  %320 = alloca { ptr, ptr, i64, [4 x i64], [4 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %175, ptr %320, align 8
  %321 = insertvalue { i64, ptr } { i64 4, ptr poison }, ptr %320, 1
  %322 = alloca { ptr, ptr, i64, [4 x i64], [4 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %318, ptr %322, align 8
  %323 = insertvalue { i64, ptr } { i64 4, ptr poison }, ptr %322, 1
  %324 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %321, ptr %324, align 8
  %325 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %323, ptr %325, align 8
  call void @memrefCopy(i64 4, ptr %324, ptr %325)
  call void @llvm.stackrestore.p0(ptr %319)
  %326 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %305, 0
  %327 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %305, 1
  %328 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %326, 0
  %329 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %328, ptr %327, 1
  %330 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %329, i64 8, 2
  %331 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %330, i64 1, 3, 0
  %332 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %331, i64 256, 4, 0
  %333 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %332, i64 4, 3, 1
  %334 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %333, i64 64, 4, 1
  %335 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %334, i64 4, 3, 2
  %336 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %335, i64 16, 4, 2
  %337 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %336, i64 8, 3, 3
  %338 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %337, i64 1, 4, 3
  %339 = call ptr @llvm.stacksave.p0()
  %340 = alloca { ptr, ptr, i64, [4 x i64], [4 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %175, ptr %340, align 8
  %341 = insertvalue { i64, ptr } { i64 4, ptr poison }, ptr %340, 1
  %342 = alloca { ptr, ptr, i64, [4 x i64], [4 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %338, ptr %342, align 8
  %343 = insertvalue { i64, ptr } { i64 4, ptr poison }, ptr %342, 1
  %344 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %341, ptr %344, align 8
  %345 = alloca { i64, ptr }, i64 1, align 8
  store { i64, ptr } %343, ptr %345, align 8
  call void @memrefCopy(i64 4, ptr %344, ptr %345)
  call void @llvm.stackrestore.p0(ptr %339)
  %346 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %305, 0
  %347 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %305, 1
  %348 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } poison, ptr %346, 0
  %349 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %348, ptr %347, 1
  %350 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %349, i64 68, 2
  %351 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %350, i64 2, 3, 0
  %352 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %351, i64 64, 4, 0
  %353 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %352, i64 4, 3, 1
  %354 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %353, i64 16, 4, 1
  %355 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %354, i64 8, 3, 2
  %356 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %355, i64 1, 4, 2
  %357 = call ptr @malloc(i64 320)
  %358 = ptrtoint ptr %357 to i64
  %359 = add i64 %358, 63
  %360 = urem i64 %359, 64
  %361 = sub i64 %359, %360
  %362 = inttoptr i64 %361 to ptr
  %363 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } poison, ptr %357, 0
  %364 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %363, ptr %362, 1
  %365 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %364, i64 0, 2
  %366 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %365, i64 8, 3, 0
  %367 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %366, i64 2, 3, 1
  %368 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %367, i64 4, 3, 2
  %369 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %368, i64 8, 4, 0
  %370 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %369, i64 4, 4, 1
  %371 = insertvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %370, i64 1, 4, 2
  br label %372

372:                                              ; preds = %401, %288
  %373 = phi i64 [ %402, %401 ], [ 0, %288 ]
  %374 = icmp slt i64 %373, 8
  br i1 %374, label %375, label %403

375:                                              ; preds = %372
  br label %376

376:                                              ; preds = %399, %375
  %377 = phi i64 [ %400, %399 ], [ 0, %375 ]
  %378 = icmp slt i64 %377, 2
  br i1 %378, label %379, label %401

379:                                              ; preds = %376
  br label %380

380:                                              ; preds = %383, %379
  %381 = phi i64 [ %398, %383 ], [ 0, %379 ]
  %382 = icmp slt i64 %381, 4
  br i1 %382, label %383, label %399

383:                                              ; preds = %380
  %384 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %356, 1
  %385 = getelementptr float, ptr %384, i64 68
  %386 = mul nuw nsw i64 %377, 64
  %387 = mul nuw nsw i64 %381, 16
  %388 = add nuw nsw i64 %386, %387
  %389 = add nuw nsw i64 %388, %373
  %390 = getelementptr inbounds nuw float, ptr %385, i64 %389
  %391 = load float, ptr %390, align 4
  %392 = extractvalue { ptr, ptr, i64, [3 x i64], [3 x i64] } %371, 1
  %393 = mul nuw nsw i64 %373, 8
  %394 = mul nuw nsw i64 %377, 4
  %395 = add nuw nsw i64 %393, %394
  %396 = add nuw nsw i64 %395, %381
  %397 = getelementptr inbounds nuw float, ptr %392, i64 %396
  store float %391, ptr %397, align 4
  %398 = add i64 %381, 1
  br label %380

399:                                              ; preds = %380
  %400 = add i64 %377, 1
  br label %376

401:                                              ; preds = %376
  %402 = add i64 %373, 1
  br label %372

403:                                              ; preds = %372
  %404 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %305, 1
  %405 = getelementptr inbounds nuw float, ptr %404, i64 210
  %406 = load float, ptr %405, align 4
  %407 = insertvalue { { ptr, ptr, i64, [3 x i64], [3 x i64] }, float } poison, { ptr, ptr, i64, [3 x i64], [3 x i64] } %371, 0
  %408 = insertvalue { { ptr, ptr, i64, [3 x i64], [3 x i64] }, float } %407, float %406, 1
  ret { { ptr, ptr, i64, [3 x i64], [3 x i64] }, float } %408
}

define void @_mlir_ciface_concat(ptr %0, ptr %1, ptr %2) {
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
  %28 = call { { ptr, ptr, i64, [3 x i64], [3 x i64] }, float } @concat(ptr %5, ptr %6, i64 %7, i64 %8, i64 %9, i64 %10, i64 %11, i64 %12, i64 %13, i64 %14, i64 %15, ptr %17, ptr %18, i64 %19, i64 %20, i64 %21, i64 %22, i64 %23, i64 %24, i64 %25, i64 %26, i64 %27)
  store { { ptr, ptr, i64, [3 x i64], [3 x i64] }, float } %28, ptr %0, align 8
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare ptr @llvm.stacksave.p0() #0

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.stackrestore.p0(ptr) #0

attributes #0 = { nocallback nofree nosync nounwind willreturn }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
