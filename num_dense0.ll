; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare ptr @malloc(i64)

define float @dense(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10, ptr %11, ptr %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17, i64 %18, i64 %19, i64 %20, i64 %21) {
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
  %45 = call ptr @malloc(i64 576)
  %46 = ptrtoint ptr %45 to i64
  %47 = add i64 %46, 63
  %48 = urem i64 %47, 64
  %49 = sub i64 %47, %48
  %50 = inttoptr i64 %49 to ptr
  %51 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %45, 0
  %52 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %51, ptr %50, 1
  %53 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %52, i64 0, 2
  %54 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %53, i64 1, 3, 0
  %55 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %54, i64 8, 3, 1
  %56 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %55, i64 4, 3, 2
  %57 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %56, i64 4, 3, 3
  %58 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %57, i64 128, 4, 0
  %59 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %58, i64 16, 4, 1
  %60 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %59, i64 4, 4, 2
  %61 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %60, i64 1, 4, 3
  br label %62

62:                                               ; preds = %91, %22
  %63 = phi i64 [ %92, %91 ], [ 0, %22 ]
  %64 = icmp slt i64 %63, 1
  br i1 %64, label %65, label %93

65:                                               ; preds = %62
  br label %66

66:                                               ; preds = %89, %65
  %67 = phi i64 [ %90, %89 ], [ 0, %65 ]
  %68 = icmp slt i64 %67, 8
  br i1 %68, label %69, label %91

69:                                               ; preds = %66
  br label %70

70:                                               ; preds = %87, %69
  %71 = phi i64 [ %88, %87 ], [ 0, %69 ]
  %72 = icmp slt i64 %71, 4
  br i1 %72, label %73, label %89

73:                                               ; preds = %70
  br label %74

74:                                               ; preds = %77, %73
  %75 = phi i64 [ %86, %77 ], [ 0, %73 ]
  %76 = icmp slt i64 %75, 4
  br i1 %76, label %77, label %87

77:                                               ; preds = %74
  %78 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %79 = mul nuw nsw i64 %63, 128
  %80 = mul nuw nsw i64 %67, 16
  %81 = add nuw nsw i64 %79, %80
  %82 = mul nuw nsw i64 %71, 4
  %83 = add nuw nsw i64 %81, %82
  %84 = add nuw nsw i64 %83, %75
  %85 = getelementptr inbounds nuw float, ptr %78, i64 %84
  store float 0.000000e+00, ptr %85, align 4
  %86 = add i64 %75, 1
  br label %74

87:                                               ; preds = %74
  %88 = add i64 %71, 1
  br label %70

89:                                               ; preds = %70
  %90 = add i64 %67, 1
  br label %66

91:                                               ; preds = %66
  %92 = add i64 %63, 1
  br label %62

93:                                               ; preds = %62
  %94 = call ptr @malloc(i64 1088)
  %95 = ptrtoint ptr %94 to i64
  %96 = add i64 %95, 63
  %97 = urem i64 %96, 64
  %98 = sub i64 %96, %97
  %99 = inttoptr i64 %98 to ptr
  %100 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %94, 0
  %101 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %100, ptr %99, 1
  %102 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %101, i64 0, 2
  %103 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %102, i64 1, 3, 0
  %104 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %103, i64 16, 3, 1
  %105 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %104, i64 4, 3, 2
  %106 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %105, i64 4, 3, 3
  %107 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %106, i64 256, 4, 0
  %108 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %107, i64 16, 4, 1
  %109 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %108, i64 4, 4, 2
  %110 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %109, i64 1, 4, 3
  %111 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %110, 0
  %112 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %110, 1
  %113 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %111, 0
  %114 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %113, ptr %112, 1
  %115 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %114, i64 0, 2
  %116 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %115, i64 1, 3, 0
  %117 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %116, i64 256, 4, 0
  %118 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %117, i64 8, 3, 1
  %119 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %118, i64 16, 4, 1
  %120 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %119, i64 4, 3, 2
  %121 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %120, i64 4, 4, 2
  %122 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %121, i64 4, 3, 3
  %123 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %122, i64 1, 4, 3
  %124 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 3, 0
  %125 = mul i64 1, %124
  %126 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 3, 1
  %127 = mul i64 %125, %126
  %128 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 3, 2
  %129 = mul i64 %127, %128
  %130 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 3, 3
  %131 = mul i64 %129, %130
  %132 = mul i64 %131, 4
  %133 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 1
  %134 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 2
  %135 = getelementptr float, ptr %133, i64 %134
  %136 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %123, 1
  %137 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %123, 2
  %138 = getelementptr float, ptr %136, i64 %137
  call void @llvm.memcpy.p0.p0.i64(ptr %138, ptr %135, i64 %132, i1 false)
  br label %139

139:                                              ; preds = %215, %93
  %140 = phi i64 [ %216, %215 ], [ 0, %93 ]
  %141 = icmp slt i64 %140, 1
  br i1 %141, label %142, label %217

142:                                              ; preds = %139
  br label %143

143:                                              ; preds = %213, %142
  %144 = phi i64 [ %214, %213 ], [ 0, %142 ]
  %145 = icmp slt i64 %144, 8
  br i1 %145, label %146, label %215

146:                                              ; preds = %143
  br label %147

147:                                              ; preds = %211, %146
  %148 = phi i64 [ %212, %211 ], [ 0, %146 ]
  %149 = icmp slt i64 %148, 4
  br i1 %149, label %150, label %213

150:                                              ; preds = %147
  br label %151

151:                                              ; preds = %209, %150
  %152 = phi i64 [ %210, %209 ], [ 0, %150 ]
  %153 = icmp slt i64 %152, 4
  br i1 %153, label %154, label %211

154:                                              ; preds = %151
  br label %155

155:                                              ; preds = %207, %154
  %156 = phi i64 [ %208, %207 ], [ 0, %154 ]
  %157 = icmp slt i64 %156, 8
  br i1 %157, label %158, label %209

158:                                              ; preds = %155
  br label %159

159:                                              ; preds = %205, %158
  %160 = phi i64 [ %206, %205 ], [ 0, %158 ]
  %161 = icmp slt i64 %160, 1
  br i1 %161, label %162, label %207

162:                                              ; preds = %159
  br label %163

163:                                              ; preds = %166, %162
  %164 = phi i64 [ %204, %166 ], [ 0, %162 ]
  %165 = icmp slt i64 %164, 1
  br i1 %165, label %166, label %205

166:                                              ; preds = %163
  %167 = add i64 %148, %160
  %168 = add i64 %152, %164
  %169 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %44, 1
  %170 = mul nuw nsw i64 %140, 128
  %171 = mul nuw nsw i64 %156, 16
  %172 = add nuw nsw i64 %170, %171
  %173 = mul nuw nsw i64 %167, 4
  %174 = add nuw nsw i64 %172, %173
  %175 = add nuw nsw i64 %174, %168
  %176 = getelementptr inbounds nuw float, ptr %169, i64 %175
  %177 = load float, ptr %176, align 4
  %178 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %33, 1
  %179 = mul nuw nsw i64 %144, 8
  %180 = add nuw nsw i64 %179, %156
  %181 = add nuw nsw i64 %180, %160
  %182 = add nuw nsw i64 %181, %164
  %183 = getelementptr inbounds nuw float, ptr %178, i64 %182
  %184 = load float, ptr %183, align 4
  %185 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %186 = mul nuw nsw i64 %140, 128
  %187 = mul nuw nsw i64 %144, 16
  %188 = add nuw nsw i64 %186, %187
  %189 = mul nuw nsw i64 %148, 4
  %190 = add nuw nsw i64 %188, %189
  %191 = add nuw nsw i64 %190, %152
  %192 = getelementptr inbounds nuw float, ptr %185, i64 %191
  %193 = load float, ptr %192, align 4
  %194 = fmul float %177, %184
  %195 = fadd float %193, %194
  %196 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %197 = mul nuw nsw i64 %140, 128
  %198 = mul nuw nsw i64 %144, 16
  %199 = add nuw nsw i64 %197, %198
  %200 = mul nuw nsw i64 %148, 4
  %201 = add nuw nsw i64 %199, %200
  %202 = add nuw nsw i64 %201, %152
  %203 = getelementptr inbounds nuw float, ptr %196, i64 %202
  store float %195, ptr %203, align 4
  %204 = add i64 %164, 1
  br label %163

205:                                              ; preds = %163
  %206 = add i64 %160, 1
  br label %159

207:                                              ; preds = %159
  %208 = add i64 %156, 1
  br label %155

209:                                              ; preds = %155
  %210 = add i64 %152, 1
  br label %151

211:                                              ; preds = %151
  %212 = add i64 %148, 1
  br label %147

213:                                              ; preds = %147
  %214 = add i64 %144, 1
  br label %143

215:                                              ; preds = %143
  %216 = add i64 %140, 1
  br label %139

217:                                              ; preds = %139
  %218 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %110, 0
  %219 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %110, 1
  %220 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } poison, ptr %218, 0
  %221 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %220, ptr %219, 1
  %222 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %221, i64 128, 2
  %223 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %222, i64 1, 3, 0
  %224 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %223, i64 256, 4, 0
  %225 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %224, i64 8, 3, 1
  %226 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %225, i64 16, 4, 1
  %227 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %226, i64 4, 3, 2
  %228 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %227, i64 4, 4, 2
  %229 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %228, i64 4, 3, 3
  %230 = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %229, i64 1, 4, 3
  %231 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 3, 0
  %232 = mul i64 1, %231
  %233 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 3, 1
  %234 = mul i64 %232, %233
  %235 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 3, 2
  %236 = mul i64 %234, %235
  %237 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 3, 3
  %238 = mul i64 %236, %237
  %239 = mul i64 %238, 4
  %240 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 1
  %241 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %61, 2
  %242 = getelementptr float, ptr %240, i64 %241
  %243 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %230, 1
  %244 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %230, 2
  %245 = getelementptr float, ptr %243, i64 %244
  call void @llvm.memcpy.p0.p0.i64(ptr %245, ptr %242, i64 %239, i1 false)
  %246 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %110, 1
  %247 = getelementptr inbounds nuw float, ptr %246, i64 0
  %248 = load float, ptr %247, align 4
  ret float %248
}

define float @_mlir_ciface_dense(ptr %0, ptr %1) {
  %3 = load { ptr, ptr, i64, [4 x i64], [4 x i64] }, ptr %0, align 8
  %4 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %3, 0
  %5 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %3, 1
  %6 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %3, 2
  %7 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %3, 3, 0
  %8 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %3, 3, 1
  %9 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %3, 3, 2
  %10 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %3, 3, 3
  %11 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %3, 4, 0
  %12 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %3, 4, 1
  %13 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %3, 4, 2
  %14 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %3, 4, 3
  %15 = load { ptr, ptr, i64, [4 x i64], [4 x i64] }, ptr %1, align 8
  %16 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %15, 0
  %17 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %15, 1
  %18 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %15, 2
  %19 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %15, 3, 0
  %20 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %15, 3, 1
  %21 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %15, 3, 2
  %22 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %15, 3, 3
  %23 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %15, 4, 0
  %24 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %15, 4, 1
  %25 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %15, 4, 2
  %26 = extractvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %15, 4, 3
  %27 = call float @dense(ptr %4, ptr %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10, i64 %11, i64 %12, i64 %13, i64 %14, ptr %16, ptr %17, i64 %18, i64 %19, i64 %20, i64 %21, i64 %22, i64 %23, i64 %24, i64 %25, i64 %26)
  ret float %27
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #0

attributes #0 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
