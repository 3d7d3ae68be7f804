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
  %46 = call ptr @malloc(i64 256)
  %47 = ptrtoint ptr %46 to i64
  %48 = add i64 %47, 63
  %49 = urem i64 %48, 64
  %50 = sub i64 %48, %49
  %51 = inttoptr i64 %50 to ptr
  %52 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %46, 0
  %53 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %52, ptr %51, 1
  %54 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %53, i64 0, 2
  %55 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %54, i64 1, 3, 0
  %56 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %55, i64 3, 3, 1
  %57 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %56, i64 4, 3, 2
  %58 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %57, i64 4, 3, 3
  %59 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %58, i64 48, 4, 0
  %60 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %59, i64 16, 4, 1
  %61 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %60, i64 4, 4, 2
  %62 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, i64 1, 4, 3
  br label %63

63:                                               ; preds = %102, %23
  %64 = phi i64 [ %103, %102 ], [ 0, %23 ]
  %65 = icmp slt i64 %64, 1
  br i1 %65, label %66, label %104

66:                                               ; preds = %63
  br label %67

67:                                               ; preds = %100, %66
  %68 = phi i64 [ %101, %100 ], [ 0, %66 ]
  %69 = icmp slt i64 %68, 3
  br i1 %69, label %70, label %102

70:                                               ; preds = %67
  br label %71

71:                                               ; preds = %98, %70
  %72 = phi i64 [ %99, %98 ], [ 0, %70 ]
  %73 = icmp slt i64 %72, 4
  br i1 %73, label %74, label %100

74:                                               ; preds = %71
  br label %75

75:                                               ; preds = %78, %74
  %76 = phi i64 [ %97, %78 ], [ 0, %74 ]
  %77 = icmp slt i64 %76, 4
  br i1 %77, label %78, label %98

78:                                               ; preds = %75
  %79 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %45, 1
  %80 = mul nuw nsw i64 %64, 48
  %81 = mul nuw nsw i64 %68, 16
  %82 = add nuw nsw i64 %80, %81
  %83 = mul nuw nsw i64 %72, 4
  %84 = add nuw nsw i64 %82, %83
  %85 = add nuw nsw i64 %84, %76
  %86 = getelementptr inbounds nuw float, ptr %79, i64 %85
  %87 = load float, ptr %86, align 4
  %88 = fsub float %87, 5.000000e-01
  %89 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %62, 1
  %90 = mul nuw nsw i64 %64, 48
  %91 = mul nuw nsw i64 %68, 16
  %92 = add nuw nsw i64 %90, %91
  %93 = mul nuw nsw i64 %72, 4
  %94 = add nuw nsw i64 %92, %93
  %95 = add nuw nsw i64 %94, %76
  %96 = getelementptr inbounds nuw float, ptr %89, i64 %95
  store float %88, ptr %96, align 4
  %97 = add i64 %76, 1
  br label %75

98:                                               ; preds = %75
  %99 = add i64 %72, 1
  br label %71

100:                                              ; preds = %71
  %101 = add i64 %68, 1
  br label %67

102:                                              ; preds = %67
  %103 = add i64 %64, 1
  br label %63

104:                                              ; preds = %63
  %105 = call ptr @malloc(i64 576)
  %106 = ptrtoint ptr %105 to i64
  %107 = add i64 %106, 63
  %108 = urem i64 %107, 64
  %109 = sub i64 %107, %108
  %110 = inttoptr i64 %109 to ptr
  %111 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %105, 0
  %112 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %111, ptr %110, 1
  %113 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %112, i64 0, 2
  %114 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %113, i64 1, 3, 0
  %115 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %114, i64 8, 3, 1
  %116 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %115, i64 4, 3, 2
  %117 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %116, i64 4, 3, 3
  %118 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %117, i64 128, 4, 0
  %119 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %118, i64 16, 4, 1
  %120 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %119, i64 4, 4, 2
  %121 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %120, i64 1, 4, 3
  br label %122

122:                                              ; preds = %151, %104
  %123 = phi i64 [ %152, %151 ], [ 0, %104 ]
  %124 = icmp slt i64 %123, 1
  br i1 %124, label %125, label %153

125:                                              ; preds = %122
  br label %126

126:                                              ; preds = %149, %125
  %127 = phi i64 [ %150, %149 ], [ 0, %125 ]
  %128 = icmp slt i64 %127, 8
  br i1 %128, label %129, label %151

129:                                              ; preds = %126
  br label %130

130:                                              ; preds = %147, %129
  %131 = phi i64 [ %148, %147 ], [ 0, %129 ]
  %132 = icmp slt i64 %131, 4
  br i1 %132, label %133, label %149

133:                                              ; preds = %130
  br label %134

134:                                              ; preds = %137, %133
  %135 = phi i64 [ %146, %137 ], [ 0, %133 ]
  %136 = icmp slt i64 %135, 4
  br i1 %136, label %137, label %147

137:                                              ; preds = %134
  %138 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %121, 1
  %139 = mul nuw nsw i64 %123, 128
  %140 = mul nuw nsw i64 %127, 16
  %141 = add nuw nsw i64 %139, %140
  %142 = mul nuw nsw i64 %131, 4
  %143 = add nuw nsw i64 %141, %142
  %144 = add nuw nsw i64 %143, %135
  %145 = getelementptr inbounds nuw float, ptr %138, i64 %144
  store float 0.000000e+00, ptr %145, align 4
  %146 = add i64 %135, 1
  br label %134

147:                                              ; preds = %134
  %148 = add i64 %131, 1
  br label %130

149:                                              ; preds = %130
  %150 = add i64 %127, 1
  br label %126

151:                                              ; preds = %126
  %152 = add i64 %123, 1
  br label %122

153:                                              ; preds = %122
  br label %154

154:                                              ; preds = %230, %153
  %155 = phi i64 [ %231, %230 ], [ 0, %153 ]
  %156 = icmp slt i64 %155, 1
  br i1 %156, label %157, label %232

157:                                              ; preds = %154
  br label %158

158:                                              ; preds = %228, %157
  %159 = phi i64 [ %229, %228 ], [ 0, %157 ]
  %160 = icmp slt i64 %159, 8
  br i1 %160, label %161, label %230

161:                                              ; preds = %158
  br label %162

162:                                              ; preds = %226, %161
  %163 = phi i64 [ %227, %226 ], [ 0, %161 ]
  %164 = icmp slt i64 %163, 4
  br i1 %164, label %165, label %228

165:                                              ; preds = %162
  br label %166

166:                                              ; preds = %224, %165
  %167 = phi i64 [ %225, %224 ], [ 0, %165 ]
  %168 = icmp slt i64 %167, 4
  br i1 %168, label %169, label %226

169:                                              ; preds = %166
  br label %170

170:                                              ; preds = %222, %169
  %171 = phi i64 [ %223, %222 ], [ 0, %169 ]
  %172 = icmp slt i64 %171, 3
  br i1 %172, label %173, label %224

173:                                              ; preds = %170
  br label %174

174:                                              ; preds = %220, %173
  %175 = phi i64 [ %221, %220 ], [ 0, %173 ]
  %176 = icmp slt i64 %175, 1
  br i1 %176, label %177, label %222

177:                                              ; preds = %174
  br label %178

178:                                              ; preds = %181, %177
  %179 = phi i64 [ %219, %181 ], [ 0, %177 ]
  %180 = icmp slt i64 %179, 1
  br i1 %180, label %181, label %220

181:                                              ; preds = %178
  %182 = add i64 %163, %175
  %183 = add i64 %167, %179
  %184 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %62, 1
  %185 = mul nuw nsw i64 %155, 48
  %186 = mul nuw nsw i64 %171, 16
  %187 = add nuw nsw i64 %185, %186
  %188 = mul nuw nsw i64 %182, 4
  %189 = add nuw nsw i64 %187, %188
  %190 = add nuw nsw i64 %189, %183
  %191 = getelementptr inbounds nuw float, ptr %184, i64 %190
  %192 = load float, ptr %191, align 4
  %193 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %34, 1
  %194 = mul nuw nsw i64 %159, 3
  %195 = add nuw nsw i64 %194, %171
  %196 = add nuw nsw i64 %195, %175
  %197 = add nuw nsw i64 %196, %179
  %198 = getelementptr inbounds nuw float, ptr %193, i64 %197
  %199 = load float, ptr %198, align 4
  %200 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %121, 1
  %201 = mul nuw nsw i64 %155, 128
  %202 = mul nuw nsw i64 %159, 16
  %203 = add nuw nsw i64 %201, %202
  %204 = mul nuw nsw i64 %163, 4
  %205 = add nuw nsw i64 %203, %204
  %206 = add nuw nsw i64 %205, %167
  %207 = getelementptr inbounds nuw float, ptr %200, i64 %206
  %208 = load float, ptr %207, align 4
  %209 = fmul float %192, %199
  %210 = fadd float %208, %209
  %211 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %121, 1
  %212 = mul nuw nsw i64 %155, 128
  %213 = mul nuw nsw i64 %159, 16
  %214 = add nuw nsw i64 %212, %213
  %215 = mul nuw nsw i64 %163, 4
  %216 = add nuw nsw i64 %214, %215
  %217 = add nuw nsw i64 %216, %167
  %218 = getelementptr inbounds nuw float, ptr %211, i64 %217
  store float %210, ptr %218, align 4
  %219 = add i64 %179, 1
  br label %178

220:                                              ; preds = %178
  %221 = add i64 %175, 1
  br label %174

222:                                              ; preds = %174
  %223 = add i64 %171, 1
  br label %170

224:                                              ; preds = %170
  %225 = add i64 %167, 1
  br label %166

226:                                              ; preds = %166
  %227 = add i64 %163, 1
  br label %162

228:                                              ; preds = %162
  %229 = add i64 %159, 1
  br label %158

230:                                              ; preds = %158
  %231 = add i64 %155, 1
  br label %154

232:                                              ; preds = %154
  br i1 %22, label %233, label %278

233:                                              ; preds = %232
  br label %234

234:                                              ; preds = %275, %233
  %235 = phi i64 [ %276, %275 ], [ 0, %233 ]
  %236 = icmp slt i64 %235, 1
  br i1 %236, label %237, label %277

237:                                              ; preds = %234
  br label %238

238:                                              ; preds = %273, %237
  %239 = phi i64 [ %274, %273 ], [ 0, %237 ]
  %240 = icmp slt i64 %239, 8
  br i1 %240, label %241, label %275

241:                                              ; preds = %238
  br label %242

242:                                              ; preds = %271, %241
  %243 = phi i64 [ %272, %271 ], [ 0, %241 ]
  %244 = icmp slt i64 %243, 4
  br i1 %244, label %245, label %273

245:                                              ; preds = %242
  br label %246

246:                                              ; preds = %249, %245
  %247 = phi i64 [ %270, %249 ], [ 0, %245 ]
  %248 = icmp slt i64 %247, 4
  br i1 %248, label %249, label %271

249:                                              ; preds = %246
  %250 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %121, 1
  %251 = mul nuw nsw i64 %235, 128
  %252 = mul nuw nsw i64 %239, 16
  %253 = add nuw nsw i64 %251, %252
  %254 = mul nuw nsw i64 %243, 4
  %255 = add nuw nsw i64 %253, %254
  %256 = add nuw nsw i64 %255, %247
  %257 = getelementptr inbounds nuw float, ptr %250, i64 %256
  %258 = load float, ptr %257, align 4
  %259 = trunc i64 %239 to i32
  %260 = sitofp i32 %259 to float
  %261 = fadd float %258, %260
  %262 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %121, 1
  %263 = mul nuw nsw i64 %235, 128
  %264 = mul nuw nsw i64 %239, 16
  %265 = add nuw nsw i64 %263, %264
  %266 = mul nuw nsw i64 %243, 4
  %267 = add nuw nsw i64 %265, %266
  %268 = add nuw nsw i64 %267, %247
  %269 = getelementptr inbounds nuw float, ptr %262, i64 %268
  store float %261, ptr %269, align 4
  %270 = add i64 %247, 1
  br label %246

271:                                              ; preds = %246
  %272 = add i64 %243, 1
  br label %242

273:                                              ; preds = %242
  %274 = add i64 %239, 1
  br label %238

275:                                              ; preds = %238
  %276 = add i64 %235, 1
  br label %234

277:                                              ; preds = %234
  br label %279

278:                                              ; preds = %232
  br label %279

279:                                              ; preds = %277, %278
  %280 = phi { ptr, ptr, i64, [4 x i64], [4 x i64] } [ %121, %278 ], [ %121, %277 ]
  br label %281

281:                                              ; preds = %279
  ret { ptr, ptr, i64, [4 x i64], [4 x i64] } %280
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
