; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare ptr @malloc(i64)

define { ptr, ptr, i64, [2 x i64], [2 x i64] } @flatten(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10, ptr %11, ptr %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17, i64 %18, i64 %19, i64 %20, i64 %21) {
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
  %45 = call ptr @malloc(i64 192)
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
  %56 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %55, i64 4, 3, 2
  %57 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %56, i64 8, 3, 3
  %58 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %57, i64 32, 4, 0
  %59 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %58, i64 32, 4, 1
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
  %72 = icmp slt i64 %71, 4
  br i1 %72, label %73, label %96

73:                                               ; preds = %70
  br label %74

74:                                               ; preds = %77, %73
  %75 = phi i64 [ %93, %77 ], [ 0, %73 ]
  %76 = icmp slt i64 %75, 8
  br i1 %76, label %77, label %94

77:                                               ; preds = %74
  %78 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %33, 1
  %79 = mul nuw nsw i64 %75, 4
  %80 = add nuw nsw i64 %79, %71
  %81 = add nuw nsw i64 %80, %63
  %82 = add nuw nsw i64 %81, %67
  %83 = getelementptr inbounds nuw float, ptr %78, i64 %82
  %84 = load float, ptr %83, align 4
  %85 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %86 = mul nuw nsw i64 %63, 32
  %87 = mul nuw nsw i64 %67, 32
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
  %101 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 0
  %102 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 1
  %103 = insertvalue { ptr, ptr, i64 } poison, ptr %101, 0
  %104 = insertvalue { ptr, ptr, i64 } %103, ptr %102, 1
  %105 = insertvalue { ptr, ptr, i64 } %104, i64 0, 2
  %106 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 2
  %107 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 3, 0
  %108 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 3, 1
  %109 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 3, 2
  %110 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 3, 3
  %111 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 4, 0
  %112 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 4, 1
  %113 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 4, 2
  %114 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 4, 3
  %115 = extractvalue { ptr, ptr, i64 } %105, 0
  %116 = extractvalue { ptr, ptr, i64 } %105, 1
  %117 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %115, 0
  %118 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %117, ptr %116, 1
  %119 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %118, i64 0, 2
  %120 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %119, i64 2, 3, 0
  %121 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %120, i64 4, 4, 0
  %122 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %121, i64 1, 3, 1
  %123 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %122, i64 4, 4, 1
  %124 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %123, i64 1, 3, 2
  %125 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %124, i64 4, 4, 2
  %126 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %125, i64 4, 3, 3
  %127 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %126, i64 1, 4, 3
  %128 = call ptr @malloc(i64 128)
  %129 = ptrtoint ptr %128 to i64
  %130 = add i64 %129, 63
  %131 = urem i64 %130, 64
  %132 = sub i64 %130, %131
  %133 = inttoptr i64 %132 to ptr
  %134 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %128, 0
  %135 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %134, ptr %133, 1
  %136 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %135, i64 0, 2
  %137 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %136, i64 2, 3, 0
  %138 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %137, i64 1, 3, 1
  %139 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %138, i64 1, 3, 2
  %140 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %139, i64 8, 3, 3
  %141 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %140, i64 8, 4, 0
  %142 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %141, i64 8, 4, 1
  %143 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %142, i64 8, 4, 2
  %144 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %143, i64 1, 4, 3
  br label %145

145:                                              ; preds = %174, %100
  %146 = phi i64 [ %175, %174 ], [ 0, %100 ]
  %147 = icmp slt i64 %146, 2
  br i1 %147, label %148, label %176

148:                                              ; preds = %145
  br label %149

149:                                              ; preds = %172, %148
  %150 = phi i64 [ %173, %172 ], [ 0, %148 ]
  %151 = icmp slt i64 %150, 1
  br i1 %151, label %152, label %174

152:                                              ; preds = %149
  br label %153

153:                                              ; preds = %170, %152
  %154 = phi i64 [ %171, %170 ], [ 0, %152 ]
  %155 = icmp slt i64 %154, 1
  br i1 %155, label %156, label %172

156:                                              ; preds = %153
  br label %157

157:                                              ; preds = %160, %156
  %158 = phi i64 [ %169, %160 ], [ 0, %156 ]
  %159 = icmp slt i64 %158, 8
  br i1 %159, label %160, label %170

160:                                              ; preds = %157
  %161 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %144, 1
  %162 = mul nuw nsw i64 %146, 8
  %163 = mul nuw nsw i64 %150, 8
  %164 = add nuw nsw i64 %162, %163
  %165 = mul nuw nsw i64 %154, 8
  %166 = add nuw nsw i64 %164, %165
  %167 = add nuw nsw i64 %166, %158
  %168 = getelementptr inbounds nuw float, ptr %161, i64 %167
  store float 0.000000e+00, ptr %168, align 4
  %169 = add i64 %158, 1
  br label %157

170:                                              ; preds = %157
  %171 = add i64 %154, 1
  br label %153

172:                                              ; preds = %153
  %173 = add i64 %150, 1
  br label %149

174:                                              ; preds = %149
  %175 = add i64 %146, 1
  br label %145

176:                                              ; preds = %145
  br label %177

177:                                              ; preds = %255, %176
  %178 = phi i64 [ %256, %255 ], [ 0, %176 ]
  %179 = icmp slt i64 %178, 2
  br i1 %179, label %180, label %257

180:                                              ; preds = %177
  br label %181

181:                                              ; preds = %253, %180
  %182 = phi i64 [ %254, %253 ], [ 0, %180 ]
  %183 = icmp slt i64 %182, 1
  br i1 %183, label %184, label %255

184:                                              ; preds = %181
  br label %185

185:                                              ; preds = %251, %184
  %186 = phi i64 [ %252, %251 ], [ 0, %184 ]
  %187 = icmp slt i64 %186, 1
  br i1 %187, label %188, label %253

188:                                              ; preds = %185
  br label %189

189:                                              ; preds = %249, %188
  %190 = phi i64 [ %250, %249 ], [ 0, %188 ]
  %191 = icmp slt i64 %190, 8
  br i1 %191, label %192, label %251

192:                                              ; preds = %189
  br label %193

193:                                              ; preds = %247, %192
  %194 = phi i64 [ %248, %247 ], [ 0, %192 ]
  %195 = icmp slt i64 %194, 1
  br i1 %195, label %196, label %249

196:                                              ; preds = %193
  br label %197

197:                                              ; preds = %245, %196
  %198 = phi i64 [ %246, %245 ], [ 0, %196 ]
  %199 = icmp slt i64 %198, 1
  br i1 %199, label %200, label %247

200:                                              ; preds = %197
  br label %201

201:                                              ; preds = %204, %200
  %202 = phi i64 [ %244, %204 ], [ 0, %200 ]
  %203 = icmp slt i64 %202, 4
  br i1 %203, label %204, label %245

204:                                              ; preds = %201
  %205 = add i64 %182, %194
  %206 = add i64 %186, %198
  %207 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %127, 1
  %208 = mul nuw nsw i64 %178, 4
  %209 = mul nuw nsw i64 %205, 4
  %210 = add nuw nsw i64 %208, %209
  %211 = mul nuw nsw i64 %206, 4
  %212 = add nuw nsw i64 %210, %211
  %213 = add nuw nsw i64 %212, %202
  %214 = getelementptr inbounds nuw float, ptr %207, i64 %213
  %215 = load float, ptr %214, align 4
  %216 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %217 = mul nuw nsw i64 %194, 32
  %218 = mul nuw nsw i64 %198, 32
  %219 = add nuw nsw i64 %217, %218
  %220 = mul nuw nsw i64 %202, 8
  %221 = add nuw nsw i64 %219, %220
  %222 = add nuw nsw i64 %221, %190
  %223 = getelementptr inbounds nuw float, ptr %216, i64 %222
  %224 = load float, ptr %223, align 4
  %225 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %144, 1
  %226 = mul nuw nsw i64 %178, 8
  %227 = mul nuw nsw i64 %182, 8
  %228 = add nuw nsw i64 %226, %227
  %229 = mul nuw nsw i64 %186, 8
  %230 = add nuw nsw i64 %228, %229
  %231 = add nuw nsw i64 %230, %190
  %232 = getelementptr inbounds nuw float, ptr %225, i64 %231
  %233 = load float, ptr %232, align 4
  %234 = fmul float %215, %224
  %235 = fadd float %233, %234
  %236 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %144, 1
  %237 = mul nuw nsw i64 %178, 8
  %238 = mul nuw nsw i64 %182, 8
  %239 = add nuw nsw i64 %237, %238
  %240 = mul nuw nsw i64 %186, 8
  %241 = add nuw nsw i64 %239, %240
  %242 = add nuw nsw i64 %241, %190
  %243 = getelementptr inbounds nuw float, ptr %236, i64 %242
  store float %235, ptr %243, align 4
  %244 = add i64 %202, 1
  br label %201

245:                                              ; preds = %201
  %246 = add i64 %198, 1
  br label %197

247:                                              ; preds = %197
  %248 = add i64 %194, 1
  br label %193

249:                                              ; preds = %193
  %250 = add i64 %190, 1
  br label %189

251:                                              ; preds = %189
  %252 = add i64 %186, 1
  br label %185

253:                                              ; preds = %185
  %254 = add i64 %182, 1
  br label %181

255:                                              ; preds = %181
  %256 = add i64 %178, 1
  br label %177

257:                                              ; preds = %177
  %258 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %144, 0
  %259 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %144, 1
  %260 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } poison, ptr %258, 0
  %261 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %260, ptr %259, 1
  %262 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %261, i64 0, 2
  %263 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %262, i64 2, 3, 0
  %264 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %263, i64 8, 4, 0
  %265 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %264, i64 8, 3, 1
  %266 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %265, i64 1, 4, 1
  ret { ptr, ptr, i64, [2 x i64], [2 x i64] } %266
}

define void @_mlir_ciface_flatten(ptr %0, ptr %1, ptr %2) {
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
  %28 = call { ptr, ptr, i64, [2 x i64], [2 x i64] } @flatten(ptr %5, ptr %6, i64 %7, i64 %8, i64 %9, i64 %10, i64 %11, i64 %12, i64 %13, i64 %14, i64 %15, ptr %17, ptr %18, i64 %19, i64 %20, i64 %21, i64 %22, i64 %23, i64 %24, i64 %25, i64 %26, i64 %27)
  store { ptr, ptr, i64, [2 x i64], [2 x i64] } %28, ptr %0, align 8
  ret void
}

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
