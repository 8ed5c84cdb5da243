%struct.table = type { ptr, i64 }
%struct.seen = type { i64, i64, ptr }
%struct.known = type { ptr, i64 }
%struct.context = type { ptr, i64, i64, i64, i64, ptr, i64, i64, ptr, i64, ptr, ptr, ptr, ptr, i64, i64, i64, i64, ptr, ptr, i64, ptr, ptr, ptr, i64, i64, i64, ptr, ptr, ptr, i64, ptr, ptr, ptr, ptr, i64, i64, ptr, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, ptr, ptr, i64, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, ptr, ptr, ptr }
%struct.shown = type { i64, i64 }
%struct.path = type { i64, i64, i64 }

@words = external constant i64, align 8
@several = external constant i64, align 8
@SECRETS = internal constant [8 x i64] [i64 -6884282663029611473, i64 -1800455987208640293, i64 -8161530843051276573, i64 6384245875588680899, i64 2129725606500045391, i64 -1493879189771267739, i64 -7046029254386353131, i64 -4417276706812531889], align 16

define void @edges(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca %struct.table, align 8
  %11 = alloca %struct.seen, align 8
  %12 = alloca ptr, align 8
  %13 = alloca %struct.known, align 8
  %14 = alloca i64, align 8
  %15 = alloca ptr, align 8
  %16 = alloca i64, align 8
  %17 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %18 = load ptr, ptr %2, align 8
  %19 = getelementptr %struct.context, ptr %18, i32 0, i32 16
  %20 = load i64, ptr %19, align 8
  store i64 %20, ptr %3, align 8
  %21 = load ptr, ptr %2, align 8
  %22 = getelementptr %struct.context, ptr %21, i32 0, i32 18
  %23 = load ptr, ptr %22, align 8
  %24 = icmp ne ptr %23, null
  %25 = zext i1 %24 to i64
  %26 = select i1 %24, i32 8, i32 1
  %27 = sext i32 %26 to i64
  store i64 %27, ptr %4, align 8
  %28 = load ptr, ptr %2, align 8
  %29 = getelementptr %struct.context, ptr %28, i32 0, i32 14
  %30 = load i64, ptr %29, align 8
  %31 = load ptr, ptr %2, align 8
  %32 = getelementptr %struct.context, ptr %31, i32 0, i32 15
  %33 = load i64, ptr %32, align 8
  %34 = load i64, ptr %4, align 8
  %35 = mul i64 %33, %34
  %36 = sub i64 %30, %35
  store i64 %36, ptr %5, align 8
  br label %37

37:
  %38 = load ptr, ptr %2, align 8
  %39 = getelementptr %struct.context, ptr %38, i32 0, i32 16
  %40 = load i64, ptr %39, align 8
  %41 = load ptr, ptr %2, align 8
  %42 = getelementptr %struct.context, ptr %41, i32 0, i32 17
  %43 = load i64, ptr %42, align 8
  %44 = icmp ult i64 %40, %43
  br i1 %44, label %45, label %57

45:
  %46 = load ptr, ptr %2, align 8
  %47 = getelementptr %struct.context, ptr %46, i32 0, i32 24
  %48 = load i64, ptr %47, align 8
  %49 = load ptr, ptr %2, align 8
  %50 = getelementptr %struct.context, ptr %49, i32 0, i32 14
  %51 = load i64, ptr %50, align 8
  %52 = add i64 %48, %51
  %53 = load ptr, ptr %2, align 8
  %54 = getelementptr %struct.context, ptr %53, i32 0, i32 25
  %55 = load i64, ptr %54, align 8
  %56 = icmp ule i64 %52, %55
  br label %57

57:
  %58 = phi i1 [ false, %37 ], [ %56, %45 ]
  br i1 %58, label %59, label %227

59:
  store i64 0, ptr %6, align 8
  br label %60

60:
  %61 = load ptr, ptr %2, align 8
  %62 = getelementptr %struct.context, ptr %61, i32 0, i32 16
  %63 = load i64, ptr %62, align 8
  %64 = load ptr, ptr %2, align 8
  %65 = getelementptr %struct.context, ptr %64, i32 0, i32 17
  %66 = load i64, ptr %65, align 8
  %67 = icmp ult i64 %63, %66
  br i1 %67, label %68, label %72

68:
  %69 = load i64, ptr %6, align 8
  %70 = load i64, ptr %5, align 8
  %71 = icmp ule i64 %69, %70
  br label %72

72:
  %73 = phi i1 [ false, %60 ], [ %71, %68 ]
  br i1 %73, label %74, label %96

74:
  %75 = load i64, ptr %4, align 8
  %76 = load ptr, ptr %2, align 8
  %77 = getelementptr %struct.context, ptr %76, i32 0, i32 17
  %78 = load i64, ptr %77, align 8
  %79 = load ptr, ptr %2, align 8
  %80 = getelementptr %struct.context, ptr %79, i32 0, i32 16
  %81 = load i64, ptr %80, align 8
  %82 = sub i64 %78, %81
  %83 = call i64 @least(i64 noundef %75, i64 noundef %82)
  store i64 %83, ptr %7, align 8
  %84 = load ptr, ptr %2, align 8
  %85 = load ptr, ptr %2, align 8
  %86 = getelementptr %struct.context, ptr %85, i32 0, i32 16
  %87 = load i64, ptr %86, align 8
  %88 = load i64, ptr %7, align 8
  %89 = load i64, ptr %6, align 8
  %90 = call i64 @make(ptr noundef %84, i64 noundef %87, i64 noundef %88, i64 noundef %89)
  store i64 %90, ptr %6, align 8
  %91 = load i64, ptr %7, align 8
  %92 = load ptr, ptr %2, align 8
  %93 = getelementptr %struct.context, ptr %92, i32 0, i32 16
  %94 = load i64, ptr %93, align 8
  %95 = add i64 %94, %91
  store i64 %95, ptr %93, align 8
  br label %60, !llvm.loop !3

96:
  store i64 0, ptr %8, align 8
  br label %97

97:
  %98 = load i64, ptr %8, align 8
  %99 = load i64, ptr %6, align 8
  %100 = icmp ult i64 %98, %99
  br i1 %100, label %101, label %151

101:
  %102 = load ptr, ptr %2, align 8
  %103 = getelementptr %struct.context, ptr %102, i32 0, i32 13
  %104 = load ptr, ptr %103, align 8
  %105 = load i64, ptr %8, align 8
  %106 = call ptr @entry(ptr noundef %104, i64 noundef %105)
  %107 = load i64, ptr @words, align 8
  %108 = add i64 %107, 1
  %109 = getelementptr i64, ptr %106, i64 %108
  %110 = load i64, ptr %109, align 8
  store i64 %110, ptr %9, align 8
  %111 = load ptr, ptr %2, align 8
  %112 = load i64, ptr %9, align 8
  %113 = call { ptr, i64 } @table_of(ptr noundef %111, i64 noundef %112)
  %114 = getelementptr inbounds nuw { ptr, i64 }, ptr %10, i32 0, i32 0
  %115 = extractvalue { ptr, i64 } %113, 0
  store ptr %115, ptr %114, align 8
  %116 = getelementptr inbounds nuw { ptr, i64 }, ptr %10, i32 0, i32 1
  %117 = extractvalue { ptr, i64 } %113, 1
  store i64 %117, ptr %116, align 8
  %118 = getelementptr %struct.table, ptr %10, i32 0, i32 0
  %119 = load ptr, ptr %118, align 8
  %120 = load i64, ptr %9, align 8
  %121 = getelementptr inbounds nuw { ptr, i64 }, ptr %10, i32 0, i32 0
  %122 = load ptr, ptr %121, align 8
  %123 = getelementptr inbounds nuw { ptr, i64 }, ptr %10, i32 0, i32 1
  %124 = load i64, ptr %123, align 8
  %125 = call i64 @bucket_home(ptr %122, i64 %124, i64 noundef %120)
  %126 = getelementptr i64, ptr %119, i64 %125
  %127 = load i64, ptr %9, align 8
  call void @see(ptr dead_on_unwind writable sret(%struct.seen) align 8 %11, ptr noundef %126, i64 noundef %127, i32 noundef 0)
  %128 = load ptr, ptr %2, align 8
  %129 = getelementptr %struct.seen, ptr %11, i32 0, i32 2
  %130 = load ptr, ptr %129, align 8
  %131 = load i64, ptr %130, align 8
  %132 = call { ptr, i64 } @known_by(ptr noundef %128, i64 noundef %131)
  %133 = getelementptr inbounds nuw { ptr, i64 }, ptr %13, i32 0, i32 0
  %134 = extractvalue { ptr, i64 } %132, 0
  store ptr %134, ptr %133, align 8
  %135 = getelementptr inbounds nuw { ptr, i64 }, ptr %13, i32 0, i32 1
  %136 = extractvalue { ptr, i64 } %132, 1
  store i64 %136, ptr %135, align 8
  %137 = getelementptr %struct.known, ptr %13, i32 0, i32 0
  %138 = load ptr, ptr %137, align 8
  store ptr %138, ptr %12, align 8
  %139 = getelementptr %struct.seen, ptr %11, i32 0, i32 0
  %140 = load i64, ptr %139, align 8
  %141 = icmp ne i64 %140, 0
  br i1 %141, label %142, label %144

142:
  %143 = load ptr, ptr %12, align 8
  br label %146

144:
  %145 = load ptr, ptr %2, align 8
  br label %146

146:
  %147 = phi ptr [ %143, %142 ], [ %145, %144 ]
  call void @prefetch(ptr noundef %147)
  br label %148

148:
  %149 = load i64, ptr %8, align 8
  %150 = add i64 %149, 1
  store i64 %150, ptr %8, align 8
  br label %97, !llvm.loop !5

151:
  store i64 0, ptr %14, align 8
  br label %152

152:
  %153 = load i64, ptr %14, align 8
  %154 = load i64, ptr %6, align 8
  %155 = icmp ult i64 %153, %154
  br i1 %155, label %156, label %220

156:
  %157 = load ptr, ptr %2, align 8
  %158 = getelementptr %struct.context, ptr %157, i32 0, i32 13
  %159 = load ptr, ptr %158, align 8
  %160 = load i64, ptr %14, align 8
  %161 = call ptr @entry(ptr noundef %159, i64 noundef %160)
  store ptr %161, ptr %15, align 8
  %162 = load ptr, ptr %15, align 8
  %163 = load i64, ptr @words, align 8
  %164 = add i64 %163, 2
  %165 = getelementptr i64, ptr %162, i64 %164
  %166 = load i64, ptr %165, align 8
  store i64 %166, ptr %16, align 8
  %167 = load ptr, ptr %2, align 8
  %168 = load ptr, ptr %15, align 8
  %169 = load ptr, ptr %15, align 8
  %170 = load i64, ptr @words, align 8
  %171 = add i64 %170, 1
  %172 = getelementptr i64, ptr %169, i64 %171
  %173 = load i64, ptr %172, align 8
  %174 = call i64 @number_of(ptr noundef %167, ptr noundef %168, i64 noundef %173)
  store i64 %174, ptr %17, align 8
  %175 = load ptr, ptr %2, align 8
  %176 = load i64, ptr %3, align 8
  %177 = load i64, ptr %16, align 8
  %178 = call i64 @close(ptr noundef %175, i64 noundef %176, i64 noundef %177)
  store i64 %178, ptr %3, align 8
  %179 = load i64, ptr %17, align 8
  %180 = icmp eq i64 %179, 4294967295
  %181 = zext i1 %180 to i32
  %182 = sext i32 %181 to i64
  %183 = load ptr, ptr %2, align 8
  %184 = getelementptr %struct.context, ptr %183, i32 0, i32 26
  %185 = load i64, ptr %184, align 8
  %186 = add i64 %185, %182
  store i64 %186, ptr %184, align 8
  %187 = load i64, ptr %17, align 8
  %188 = load i64, ptr %16, align 8
  %189 = icmp eq i64 %187, %188
  br i1 %189, label %190, label %191

190:
  br label %217

191:
  %192 = load i64, ptr %17, align 8
  %193 = trunc i64 %192 to i32
  %194 = load ptr, ptr %2, align 8
  %195 = getelementptr %struct.context, ptr %194, i32 0, i32 22
  %196 = load ptr, ptr %195, align 8
  %197 = load ptr, ptr %2, align 8
  %198 = getelementptr %struct.context, ptr %197, i32 0, i32 24
  %199 = load i64, ptr %198, align 8
  %200 = getelementptr i32, ptr %196, i64 %199
  store i32 %193, ptr %200, align 4
  %201 = load ptr, ptr %15, align 8
  %202 = load i64, ptr @words, align 8
  %203 = getelementptr i64, ptr %201, i64 %202
  %204 = load i64, ptr %203, align 8
  %205 = trunc i64 %204 to i16
  %206 = load ptr, ptr %2, align 8
  %207 = getelementptr %struct.context, ptr %206, i32 0, i32 23
  %208 = load ptr, ptr %207, align 8
  %209 = load ptr, ptr %2, align 8
  %210 = getelementptr %struct.context, ptr %209, i32 0, i32 24
  %211 = load i64, ptr %210, align 8
  %212 = getelementptr i16, ptr %208, i64 %211
  store i16 %205, ptr %212, align 2
  %213 = load ptr, ptr %2, align 8
  %214 = getelementptr %struct.context, ptr %213, i32 0, i32 24
  %215 = load i64, ptr %214, align 8
  %216 = add i64 %215, 1
  store i64 %216, ptr %214, align 8
  br label %217

217:
  %218 = load i64, ptr %14, align 8
  %219 = add i64 %218, 1
  store i64 %219, ptr %14, align 8
  br label %152, !llvm.loop !6

220:
  %221 = load ptr, ptr %2, align 8
  %222 = load i64, ptr %3, align 8
  %223 = load ptr, ptr %2, align 8
  %224 = getelementptr %struct.context, ptr %223, i32 0, i32 16
  %225 = load i64, ptr %224, align 8
  %226 = call i64 @close(ptr noundef %221, i64 noundef %222, i64 noundef %225)
  store i64 %226, ptr %3, align 8
  br label %37, !llvm.loop !7

227:
  ret void
}

define internal i64 @least(i64 noundef %0, i64 noundef %1) #1 {
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  store i64 %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load i64, ptr %3, align 8
  %6 = load i64, ptr %4, align 8
  %7 = icmp ult i64 %5, %6
  br i1 %7, label %8, label %10

8:
  %9 = load i64, ptr %3, align 8
  br label %12

10:
  %11 = load i64, ptr %4, align 8
  br label %12

12:
  %13 = phi i64 [ %9, %8 ], [ %11, %10 ]
  ret i64 %13
}

define internal i64 @make(ptr noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3) #1 {
  %5 = alloca i64, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  store ptr %0, ptr %6, align 8
  store i64 %1, ptr %7, align 8
  store i64 %2, ptr %8, align 8
  store i64 %3, ptr %9, align 8
  %13 = load i64, ptr %8, align 8
  %14 = icmp eq i64 %13, 8
  br i1 %14, label %15, label %30

15:
  %16 = load ptr, ptr %6, align 8
  %17 = getelementptr %struct.context, ptr %16, i32 0, i32 18
  %18 = load ptr, ptr %17, align 8
  %19 = icmp ne ptr %18, null
  br i1 %19, label %20, label %30

20:
  %21 = load ptr, ptr %6, align 8
  %22 = load i64, ptr %7, align 8
  %23 = load i64, ptr %9, align 8
  %24 = call i64 @make_eight(ptr noundef %21, i64 noundef %22, i64 noundef %23)
  store i64 %24, ptr %10, align 8
  %25 = load i64, ptr %10, align 8
  %26 = icmp ne i64 %25, -1
  br i1 %26, label %27, label %29

27:
  %28 = load i64, ptr %10, align 8
  store i64 %28, ptr %5, align 8
  br label %74

29:
  br label %30

30:
  %31 = load i64, ptr %7, align 8
  store i64 %31, ptr %11, align 8
  br label %32

32:
  %33 = load i64, ptr %11, align 8
  %34 = load i64, ptr %7, align 8
  %35 = load i64, ptr %8, align 8
  %36 = add i64 %34, %35
  %37 = icmp ult i64 %33, %36
  br i1 %37, label %38, label %72

38:
  %39 = load i64, ptr %9, align 8
  %40 = load ptr, ptr %6, align 8
  %41 = getelementptr %struct.context, ptr %40, i32 0, i32 12
  %42 = load ptr, ptr %41, align 8
  %43 = load ptr, ptr %6, align 8
  %44 = load i64, ptr %11, align 8
  %45 = call ptr @state_of(ptr noundef %43, i64 noundef %44)
  %46 = load ptr, ptr %6, align 8
  %47 = getelementptr %struct.context, ptr %46, i32 0, i32 13
  %48 = load ptr, ptr %47, align 8
  %49 = load i64, ptr %9, align 8
  %50 = call ptr @entry(ptr noundef %48, i64 noundef %49)
  %51 = call i64 %42(ptr noundef %45, ptr noundef %50, i64 noundef 0)
  %52 = add i64 %39, %51
  store i64 %52, ptr %12, align 8
  br label %53

53:
  %54 = load i64, ptr %9, align 8
  %55 = load i64, ptr %12, align 8
  %56 = icmp ult i64 %54, %55
  br i1 %56, label %57, label %68

57:
  %58 = load ptr, ptr %6, align 8
  %59 = load ptr, ptr %6, align 8
  %60 = getelementptr %struct.context, ptr %59, i32 0, i32 13
  %61 = load ptr, ptr %60, align 8
  %62 = load i64, ptr %9, align 8
  %63 = call ptr @entry(ptr noundef %61, i64 noundef %62)
  %64 = load i64, ptr %11, align 8
  call void @prepare(ptr noundef %58, ptr noundef %63, i64 noundef %64)
  br label %65

65:
  %66 = load i64, ptr %9, align 8
  %67 = add i64 %66, 1
  store i64 %67, ptr %9, align 8
  br label %53, !llvm.loop !8

68:
  br label %69

69:
  %70 = load i64, ptr %11, align 8
  %71 = add i64 %70, 1
  store i64 %71, ptr %11, align 8
  br label %32, !llvm.loop !9

72:
  %73 = load i64, ptr %9, align 8
  store i64 %73, ptr %5, align 8
  br label %74

74:
  %75 = load i64, ptr %5, align 8
  ret i64 %75
}

define internal ptr @entry(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = load i64, ptr %4, align 8
  %7 = load i64, ptr @words, align 8
  %8 = add i64 %7, 3
  %9 = mul i64 %6, %8
  %10 = getelementptr i64, ptr %5, i64 %9
  ret ptr %10
}

define internal { ptr, i64 } @table_of(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca %struct.table, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  %7 = load i64, ptr @several, align 8
  %8 = icmp ne i64 %7, 0
  br i1 %8, label %18, label %9

9:
  %10 = getelementptr inbounds nuw %struct.table, ptr %3, i32 0, i32 0
  %11 = load ptr, ptr %4, align 8
  %12 = getelementptr %struct.context, ptr %11, i32 0, i32 5
  %13 = load ptr, ptr %12, align 8
  store ptr %13, ptr %10, align 8
  %14 = getelementptr inbounds nuw %struct.table, ptr %3, i32 0, i32 1
  %15 = load ptr, ptr %4, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 6
  %17 = load i64, ptr %16, align 8
  store i64 %17, ptr %14, align 8
  br label %38

18:
  %19 = load ptr, ptr %4, align 8
  %20 = getelementptr %struct.context, ptr %19, i32 0, i32 8
  %21 = load ptr, ptr %20, align 8
  %22 = load i64, ptr %5, align 8
  %23 = load ptr, ptr %4, align 8
  %24 = getelementptr %struct.context, ptr %23, i32 0, i32 7
  %25 = load i64, ptr %24, align 8
  %26 = call i64 @lower_half(i64 noundef %22, i64 noundef %25)
  %27 = mul i64 %26, 4
  %28 = getelementptr i64, ptr %21, i64 %27
  store ptr %28, ptr %6, align 8
  %29 = getelementptr inbounds nuw %struct.table, ptr %3, i32 0, i32 0
  %30 = load ptr, ptr %6, align 8
  %31 = getelementptr i64, ptr %30, i64 0
  %32 = load i64, ptr %31, align 8
  %33 = inttoptr i64 %32 to ptr
  store ptr %33, ptr %29, align 8
  %34 = getelementptr inbounds nuw %struct.table, ptr %3, i32 0, i32 1
  %35 = load ptr, ptr %6, align 8
  %36 = getelementptr i64, ptr %35, i64 1
  %37 = load i64, ptr %36, align 8
  store i64 %37, ptr %34, align 8
  br label %38

38:
  %39 = load { ptr, i64 }, ptr %3, align 8
  ret { ptr, i64 } %39
}

define internal void @see(ptr dead_on_unwind noalias writable sret(%struct.seen) align 8 %0, ptr noundef %1, i64 noundef %2, i32 noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i32, align 4
  %8 = alloca %struct.shown, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  store i32 %3, ptr %7, align 4
  %13 = load ptr, ptr %5, align 8
  %14 = load i64, ptr %6, align 8
  %15 = lshr i64 %14, 32
  %16 = load i32, ptr %7, align 4
  %17 = call { i64, i64 } @shown_by(ptr noundef %13, i64 noundef %15, i32 noundef %16)
  %18 = getelementptr inbounds nuw { i64, i64 }, ptr %8, i32 0, i32 0
  %19 = extractvalue { i64, i64 } %17, 0
  store i64 %19, ptr %18, align 8
  %20 = getelementptr inbounds nuw { i64, i64 }, ptr %8, i32 0, i32 1
  %21 = extractvalue { i64, i64 } %17, 1
  store i64 %21, ptr %20, align 8
  %22 = getelementptr %struct.shown, ptr %8, i32 0, i32 0
  %23 = load i64, ptr %22, align 8
  %24 = getelementptr %struct.shown, ptr %8, i32 0, i32 1
  %25 = load i64, ptr %24, align 8
  %26 = xor i64 %25, -1
  %27 = and i64 %23, %26
  store i64 %27, ptr %9, align 8
  %28 = load i64, ptr %9, align 8
  %29 = icmp ne i64 %28, 0
  %30 = zext i1 %29 to i32
  %31 = sext i32 %30 to i64
  store i64 %31, ptr %10, align 8
  %32 = load i64, ptr %10, align 8
  %33 = icmp ne i64 %32, 0
  br i1 %33, label %34, label %36

34:
  %35 = load i64, ptr %9, align 8
  br label %39

36:
  %37 = getelementptr %struct.shown, ptr %8, i32 0, i32 1
  %38 = load i64, ptr %37, align 8
  br label %39

39:
  %40 = phi i64 [ %35, %34 ], [ %38, %36 ]
  store i64 %40, ptr %11, align 8
  %41 = load i64, ptr %11, align 8
  %42 = or i64 %41, 256
  %43 = call i64 @llvm.cttz.i64(i64 %42, i1 true)
  %44 = trunc i64 %43 to i32
  %45 = and i32 %44, 7
  %46 = sext i32 %45 to i64
  store i64 %46, ptr %12, align 8
  %47 = getelementptr inbounds nuw %struct.seen, ptr %0, i32 0, i32 0
  %48 = load i64, ptr %10, align 8
  store i64 %48, ptr %47, align 8
  %49 = getelementptr inbounds nuw %struct.seen, ptr %0, i32 0, i32 1
  %50 = load i64, ptr %10, align 8
  %51 = icmp ne i64 %50, 0
  %52 = xor i1 %51, true
  %53 = zext i1 %52 to i32
  %54 = getelementptr %struct.shown, ptr %8, i32 0, i32 1
  %55 = load i64, ptr %54, align 8
  %56 = icmp ne i64 %55, 0
  %57 = zext i1 %56 to i32
  %58 = and i32 %53, %57
  %59 = sext i32 %58 to i64
  store i64 %59, ptr %49, align 8
  %60 = getelementptr inbounds nuw %struct.seen, ptr %0, i32 0, i32 2
  %61 = load ptr, ptr %5, align 8
  %62 = load i64, ptr %12, align 8
  %63 = getelementptr i64, ptr %61, i64 %62
  store ptr %63, ptr %60, align 8
  ret void
}

define internal i64 @bucket_home(ptr %0, i64 %1, i64 noundef %2) #1 {
  %4 = alloca %struct.table, align 8
  %5 = alloca i64, align 8
  %6 = getelementptr inbounds nuw { ptr, i64 }, ptr %4, i32 0, i32 0
  store ptr %0, ptr %6, align 8
  %7 = getelementptr inbounds nuw { ptr, i64 }, ptr %4, i32 0, i32 1
  store i64 %1, ptr %7, align 8
  store i64 %2, ptr %5, align 8
  %8 = load i64, ptr %5, align 8
  %9 = getelementptr %struct.table, ptr %4, i32 0, i32 1
  %10 = load i64, ptr %9, align 8
  %11 = lshr i64 %10, 3
  %12 = call i64 @upper_half(i64 noundef %8, i64 noundef %11)
  %13 = shl i64 %12, 3
  ret i64 %13
}

define internal { ptr, i64 } @known_by(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca %struct.known, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  %9 = load i64, ptr %5, align 8
  %10 = sub i64 %9, 1
  %11 = and i64 %10, 4294967295
  store i64 %11, ptr %6, align 8
  %12 = load i64, ptr @several, align 8
  %13 = icmp ne i64 %12, 0
  br i1 %13, label %26, label %14

14:
  %15 = getelementptr inbounds nuw %struct.known, ptr %3, i32 0, i32 0
  %16 = load ptr, ptr %4, align 8
  %17 = getelementptr %struct.context, ptr %16, i32 0, i32 0
  %18 = load ptr, ptr %17, align 8
  %19 = load i64, ptr %6, align 8
  %20 = load i64, ptr @words, align 8
  %21 = add i64 %20, 1
  %22 = mul i64 %19, %21
  %23 = getelementptr i64, ptr %18, i64 %22
  store ptr %23, ptr %15, align 8
  %24 = getelementptr inbounds nuw %struct.known, ptr %3, i32 0, i32 1
  %25 = load i64, ptr %6, align 8
  store i64 %25, ptr %24, align 8
  br label %60

26:
  %27 = load i64, ptr %6, align 8
  %28 = load ptr, ptr %4, align 8
  %29 = getelementptr %struct.context, ptr %28, i32 0, i32 9
  %30 = load i64, ptr %29, align 8
  %31 = lshr i64 %27, %30
  store i64 %31, ptr %7, align 8
  %32 = load i64, ptr %6, align 8
  %33 = load i64, ptr %7, align 8
  %34 = load ptr, ptr %4, align 8
  %35 = getelementptr %struct.context, ptr %34, i32 0, i32 9
  %36 = load i64, ptr %35, align 8
  %37 = shl i64 %33, %36
  %38 = sub i64 %32, %37
  store i64 %38, ptr %8, align 8
  %39 = getelementptr inbounds nuw %struct.known, ptr %3, i32 0, i32 0
  %40 = load ptr, ptr %4, align 8
  %41 = getelementptr %struct.context, ptr %40, i32 0, i32 10
  %42 = load ptr, ptr %41, align 8
  %43 = load i64, ptr %7, align 8
  %44 = getelementptr ptr, ptr %42, i64 %43
  %45 = load ptr, ptr %44, align 8
  %46 = load i64, ptr %8, align 8
  %47 = load i64, ptr @words, align 8
  %48 = add i64 %47, 1
  %49 = mul i64 %46, %48
  %50 = getelementptr i64, ptr %45, i64 %49
  store ptr %50, ptr %39, align 8
  %51 = getelementptr inbounds nuw %struct.known, ptr %3, i32 0, i32 1
  %52 = load ptr, ptr %4, align 8
  %53 = getelementptr %struct.context, ptr %52, i32 0, i32 11
  %54 = load ptr, ptr %53, align 8
  %55 = load i64, ptr %7, align 8
  %56 = getelementptr i64, ptr %54, i64 %55
  %57 = load i64, ptr %56, align 8
  %58 = load i64, ptr %8, align 8
  %59 = add i64 %57, %58
  store i64 %59, ptr %51, align 8
  br label %60

60:
  %61 = load { ptr, i64 }, ptr %3, align 8
  ret { ptr, i64 } %61
}

define internal void @prefetch(ptr noundef %0) #1 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  call void @llvm.prefetch.p0(ptr %3, i32 0, i32 3, i32 1)
  ret void
}

define internal i64 @number_of(ptr noundef %0, ptr noundef %1, i64 noundef %2) #1 {
  %4 = alloca i64, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca %struct.table, align 8
  %9 = alloca i64, align 8
  %10 = alloca %struct.shown, align 8
  %11 = alloca i64, align 8
  %12 = alloca %struct.known, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  %13 = load ptr, ptr %5, align 8
  %14 = load i64, ptr %7, align 8
  %15 = call { ptr, i64 } @table_of(ptr noundef %13, i64 noundef %14)
  %16 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 0
  %17 = extractvalue { ptr, i64 } %15, 0
  store ptr %17, ptr %16, align 8
  %18 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 1
  %19 = extractvalue { ptr, i64 } %15, 1
  store i64 %19, ptr %18, align 8
  %20 = load i64, ptr %7, align 8
  %21 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 0
  %22 = load ptr, ptr %21, align 8
  %23 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 1
  %24 = load i64, ptr %23, align 8
  %25 = call i64 @bucket_home(ptr %22, i64 %24, i64 noundef %20)
  store i64 %25, ptr %9, align 8
  br label %26

26:
  %27 = getelementptr %struct.table, ptr %8, i32 0, i32 0
  %28 = load ptr, ptr %27, align 8
  %29 = load i64, ptr %9, align 8
  %30 = getelementptr i64, ptr %28, i64 %29
  %31 = load i64, ptr %7, align 8
  %32 = lshr i64 %31, 32
  %33 = call { i64, i64 } @shown_by(ptr noundef %30, i64 noundef %32, i32 noundef 0)
  %34 = getelementptr inbounds nuw { i64, i64 }, ptr %10, i32 0, i32 0
  %35 = extractvalue { i64, i64 } %33, 0
  store i64 %35, ptr %34, align 8
  %36 = getelementptr inbounds nuw { i64, i64 }, ptr %10, i32 0, i32 1
  %37 = extractvalue { i64, i64 } %33, 1
  store i64 %37, ptr %36, align 8
  %38 = getelementptr %struct.shown, ptr %10, i32 0, i32 0
  %39 = load i64, ptr %38, align 8
  %40 = getelementptr %struct.shown, ptr %10, i32 0, i32 1
  %41 = load i64, ptr %40, align 8
  %42 = xor i64 %41, -1
  %43 = and i64 %39, %42
  store i64 %43, ptr %11, align 8
  br label %44

44:
  %45 = load i64, ptr %11, align 8
  %46 = icmp ne i64 %45, 0
  br i1 %46, label %47, label %78

47:
  %48 = load ptr, ptr %5, align 8
  %49 = getelementptr %struct.table, ptr %8, i32 0, i32 0
  %50 = load ptr, ptr %49, align 8
  %51 = load i64, ptr %9, align 8
  %52 = load i64, ptr %11, align 8
  %53 = call i64 @llvm.cttz.i64(i64 %52, i1 true)
  %54 = trunc i64 %53 to i32
  %55 = sext i32 %54 to i64
  %56 = add i64 %51, %55
  %57 = getelementptr i64, ptr %50, i64 %56
  %58 = load i64, ptr %57, align 8
  %59 = call { ptr, i64 } @known_by(ptr noundef %48, i64 noundef %58)
  %60 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 0
  %61 = extractvalue { ptr, i64 } %59, 0
  store ptr %61, ptr %60, align 8
  %62 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 1
  %63 = extractvalue { ptr, i64 } %59, 1
  store i64 %63, ptr %62, align 8
  %64 = getelementptr %struct.known, ptr %12, i32 0, i32 0
  %65 = load ptr, ptr %64, align 8
  %66 = load ptr, ptr %6, align 8
  %67 = call i64 @differs(ptr noundef %65, ptr noundef %66)
  %68 = icmp ne i64 %67, 0
  br i1 %68, label %72, label %69

69:
  %70 = getelementptr %struct.known, ptr %12, i32 0, i32 1
  %71 = load i64, ptr %70, align 8
  store i64 %71, ptr %4, align 8
  br label %91

72:
  br label %73

73:
  %74 = load i64, ptr %11, align 8
  %75 = sub i64 %74, 1
  %76 = load i64, ptr %11, align 8
  %77 = and i64 %76, %75
  store i64 %77, ptr %11, align 8
  br label %44, !llvm.loop !10

78:
  %79 = getelementptr %struct.shown, ptr %10, i32 0, i32 1
  %80 = load i64, ptr %79, align 8
  %81 = icmp ne i64 %80, 0
  br i1 %81, label %82, label %83

82:
  store i64 4294967295, ptr %4, align 8
  br label %91

83:
  br label %84

84:
  %85 = load i64, ptr %9, align 8
  %86 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 0
  %87 = load ptr, ptr %86, align 8
  %88 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 1
  %89 = load i64, ptr %88, align 8
  %90 = call i64 @after(ptr %87, i64 %89, i64 noundef %85, i64 noundef 8)
  store i64 %90, ptr %9, align 8
  br label %26

91:
  %92 = load i64, ptr %4, align 8
  ret i64 %92
}

define internal i64 @close(ptr noundef %0, i64 noundef %1, i64 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  br label %7

7:
  %8 = load i64, ptr %5, align 8
  %9 = load i64, ptr %6, align 8
  %10 = icmp ult i64 %8, %9
  br i1 %10, label %11, label %21

11:
  %12 = load ptr, ptr %4, align 8
  %13 = getelementptr %struct.context, ptr %12, i32 0, i32 24
  %14 = load i64, ptr %13, align 8
  %15 = load ptr, ptr %4, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 21
  %17 = load ptr, ptr %16, align 8
  %18 = load i64, ptr %5, align 8
  %19 = add i64 %18, 1
  store i64 %19, ptr %5, align 8
  %20 = getelementptr i64, ptr %17, i64 %19
  store i64 %14, ptr %20, align 8
  br label %7, !llvm.loop !11

21:
  %22 = load i64, ptr %5, align 8
  ret i64 %22
}

define void @numbers(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3) #0 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store ptr %3, ptr %8, align 8
  store i64 0, ptr %9, align 8
  br label %10

10:
  %11 = load i64, ptr %9, align 8
  %12 = load i64, ptr %7, align 8
  %13 = icmp ult i64 %11, %12
  br i1 %13, label %14, label %35

14:
  %15 = load ptr, ptr %5, align 8
  %16 = load ptr, ptr %6, align 8
  %17 = load i64, ptr %9, align 8
  %18 = load i64, ptr @words, align 8
  %19 = mul i64 %17, %18
  %20 = getelementptr i64, ptr %16, i64 %19
  %21 = load ptr, ptr %6, align 8
  %22 = load i64, ptr %9, align 8
  %23 = load i64, ptr @words, align 8
  %24 = mul i64 %22, %23
  %25 = getelementptr i64, ptr %21, i64 %24
  %26 = call i64 @hash_of(ptr noundef %25)
  %27 = call i64 @number_of(ptr noundef %15, ptr noundef %20, i64 noundef %26)
  %28 = trunc i64 %27 to i32
  %29 = load ptr, ptr %8, align 8
  %30 = load i64, ptr %9, align 8
  %31 = getelementptr i32, ptr %29, i64 %30
  store i32 %28, ptr %31, align 4
  br label %32

32:
  %33 = load i64, ptr %9, align 8
  %34 = add i64 %33, 1
  store i64 %34, ptr %9, align 8
  br label %10, !llvm.loop !12

35:
  ret void
}

define internal i64 @hash_of(ptr noundef %0) #1 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = call i64 @hash_bits(ptr noundef %3, ptr noundef null, i32 noundef 0)
  ret i64 %4
}

define i64 @possible(ptr noalias noundef %0, i64 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %6 = load ptr, ptr %3, align 8
  %7 = load i64, ptr %4, align 8
  %8 = call i64 @stopped_in(ptr noundef %6, i64 noundef %7)
  store i64 %8, ptr %5, align 8
  %9 = load ptr, ptr %3, align 8
  %10 = load i64, ptr %4, align 8
  %11 = call i64 @taken_from(ptr noundef %9, i64 noundef %10)
  %12 = load i64, ptr %5, align 8
  %13 = or i64 %11, %12
  ret i64 %13
}

define internal i64 @stopped_in(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr %struct.context, ptr %5, i32 0, i32 31
  %7 = load ptr, ptr %6, align 8
  %8 = load ptr, ptr %3, align 8
  %9 = load i64, ptr %4, align 8
  %10 = call ptr @state_of(ptr noundef %8, i64 noundef %9)
  %11 = load ptr, ptr %3, align 8
  %12 = getelementptr %struct.context, ptr %11, i32 0, i32 32
  %13 = load ptr, ptr %12, align 8
  %14 = call i64 %7(ptr noundef %10, ptr noundef %13)
  ret i64 %14
}

define internal i64 @taken_from(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  store i64 0, ptr %5, align 8
  %8 = load ptr, ptr %3, align 8
  %9 = getelementptr %struct.context, ptr %8, i32 0, i32 21
  %10 = load ptr, ptr %9, align 8
  %11 = load i64, ptr %4, align 8
  %12 = getelementptr i64, ptr %10, i64 %11
  %13 = load i64, ptr %12, align 8
  store i64 %13, ptr %6, align 8
  %14 = load ptr, ptr %3, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 21
  %16 = load ptr, ptr %15, align 8
  %17 = load i64, ptr %4, align 8
  %18 = add i64 %17, 1
  %19 = getelementptr i64, ptr %16, i64 %18
  %20 = load i64, ptr %19, align 8
  store i64 %20, ptr %7, align 8
  br label %21

21:
  %22 = load i64, ptr %6, align 8
  %23 = load i64, ptr %7, align 8
  %24 = icmp ult i64 %22, %23
  br i1 %24, label %25, label %43

25:
  %26 = load ptr, ptr %3, align 8
  %27 = getelementptr %struct.context, ptr %26, i32 0, i32 32
  %28 = load ptr, ptr %27, align 8
  %29 = load ptr, ptr %3, align 8
  %30 = getelementptr %struct.context, ptr %29, i32 0, i32 23
  %31 = load ptr, ptr %30, align 8
  %32 = load i64, ptr %6, align 8
  %33 = getelementptr i16, ptr %31, i64 %32
  %34 = load i16, ptr %33, align 2
  %35 = zext i16 %34 to i64
  %36 = getelementptr i64, ptr %28, i64 %35
  %37 = load i64, ptr %36, align 8
  %38 = load i64, ptr %5, align 8
  %39 = or i64 %38, %37
  store i64 %39, ptr %5, align 8
  br label %40

40:
  %41 = load i64, ptr %6, align 8
  %42 = add i64 %41, 1
  store i64 %42, ptr %6, align 8
  br label %21, !llvm.loop !13

43:
  %44 = load i64, ptr %5, align 8
  ret i64 %44
}

define void @marks(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %4 = load ptr, ptr %2, align 8
  %5 = getelementptr %struct.context, ptr %4, i32 0, i32 2
  %6 = load i64, ptr %5, align 8
  store i64 %6, ptr %3, align 8
  br label %7

7:
  %8 = load i64, ptr %3, align 8
  %9 = load ptr, ptr %2, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 3
  %11 = load i64, ptr %10, align 8
  %12 = icmp ult i64 %8, %11
  br i1 %12, label %13, label %56

13:
  %14 = load ptr, ptr %2, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 28
  %16 = load ptr, ptr %15, align 8
  %17 = load ptr, ptr %2, align 8
  %18 = load i64, ptr %3, align 8
  %19 = call ptr @state_of(ptr noundef %17, i64 noundef %18)
  %20 = call i64 %16(ptr noundef %19)
  %21 = xor i64 %20, -1
  %22 = load ptr, ptr %2, align 8
  %23 = getelementptr %struct.context, ptr %22, i32 0, i32 34
  %24 = load ptr, ptr %23, align 8
  %25 = load i64, ptr %3, align 8
  %26 = getelementptr i64, ptr %24, i64 %25
  store i64 %21, ptr %26, align 8
  %27 = load ptr, ptr %2, align 8
  %28 = load i64, ptr %3, align 8
  %29 = call i64 @premises_in(ptr noundef %27, i64 noundef %28)
  %30 = load ptr, ptr %2, align 8
  %31 = getelementptr %struct.context, ptr %30, i32 0, i32 34
  %32 = load ptr, ptr %31, align 8
  %33 = load i64, ptr %3, align 8
  %34 = getelementptr i64, ptr %32, i64 %33
  %35 = load i64, ptr %34, align 8
  %36 = and i64 %29, %35
  %37 = load ptr, ptr %2, align 8
  %38 = getelementptr %struct.context, ptr %37, i32 0, i32 33
  %39 = load ptr, ptr %38, align 8
  %40 = load i64, ptr %3, align 8
  %41 = getelementptr i64, ptr %39, i64 %40
  store i64 %36, ptr %41, align 8
  %42 = load ptr, ptr %2, align 8
  %43 = getelementptr %struct.context, ptr %42, i32 0, i32 29
  %44 = load ptr, ptr %43, align 8
  %45 = load ptr, ptr %2, align 8
  %46 = load i64, ptr %3, align 8
  %47 = call ptr @state_of(ptr noundef %45, i64 noundef %46)
  %48 = call i64 %44(ptr noundef %47)
  %49 = load ptr, ptr %2, align 8
  %50 = getelementptr %struct.context, ptr %49, i32 0, i32 35
  %51 = load i64, ptr %50, align 8
  %52 = or i64 %51, %48
  store i64 %52, ptr %50, align 8
  br label %53

53:
  %54 = load i64, ptr %3, align 8
  %55 = add i64 %54, 1
  store i64 %55, ptr %3, align 8
  br label %7, !llvm.loop !14

56:
  ret void
}

define internal ptr @state_of(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr %struct.context, ptr %5, i32 0, i32 0
  %7 = load ptr, ptr %6, align 8
  %8 = load i64, ptr %4, align 8
  %9 = load ptr, ptr %3, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 1
  %11 = load i64, ptr %10, align 8
  %12 = sub i64 %8, %11
  %13 = load i64, ptr @words, align 8
  %14 = add i64 %13, 1
  %15 = mul i64 %12, %14
  %16 = getelementptr i64, ptr %7, i64 %15
  ret ptr %16
}

define internal i64 @premises_in(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %6 = load ptr, ptr %3, align 8
  %7 = load i64, ptr %4, align 8
  %8 = call i32 @is_initial(ptr noundef %6, i64 noundef %7)
  %9 = icmp ne i32 %8, 0
  br i1 %9, label %10, label %11

10:
  br label %16

11:
  %12 = load ptr, ptr %3, align 8
  %13 = getelementptr %struct.context, ptr %12, i32 0, i32 30
  %14 = load i64, ptr %13, align 8
  %15 = xor i64 %14, -1
  br label %16

16:
  %17 = phi i64 [ -1, %10 ], [ %15, %11 ]
  store i64 %17, ptr %5, align 8
  %18 = load ptr, ptr %3, align 8
  %19 = getelementptr %struct.context, ptr %18, i32 0, i32 27
  %20 = load ptr, ptr %19, align 8
  %21 = load ptr, ptr %3, align 8
  %22 = load i64, ptr %4, align 8
  %23 = call ptr @state_of(ptr noundef %21, i64 noundef %22)
  %24 = call i64 %20(ptr noundef %23)
  %25 = load i64, ptr %5, align 8
  %26 = and i64 %24, %25
  ret i64 %26
}

define void @spread(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %10 = load ptr, ptr %2, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 2
  %12 = load i64, ptr %11, align 8
  store i64 %12, ptr %3, align 8
  br label %13

13:
  %14 = load i64, ptr %3, align 8
  %15 = load ptr, ptr %2, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 3
  %17 = load i64, ptr %16, align 8
  %18 = icmp ult i64 %14, %17
  br i1 %18, label %19, label %113

19:
  %20 = load ptr, ptr %2, align 8
  %21 = getelementptr %struct.context, ptr %20, i32 0, i32 33
  %22 = load ptr, ptr %21, align 8
  %23 = load i64, ptr %3, align 8
  %24 = getelementptr i64, ptr %22, i64 %23
  %25 = load i64, ptr %24, align 8
  store i64 %25, ptr %4, align 8
  %26 = load i64, ptr %4, align 8
  %27 = icmp ne i64 %26, 0
  br i1 %27, label %29, label %28

28:
  br label %110

29:
  %30 = load ptr, ptr %2, align 8
  %31 = getelementptr %struct.context, ptr %30, i32 0, i32 21
  %32 = load ptr, ptr %31, align 8
  %33 = load i64, ptr %3, align 8
  %34 = getelementptr i64, ptr %32, i64 %33
  %35 = load i64, ptr %34, align 8
  store i64 %35, ptr %5, align 8
  %36 = load ptr, ptr %2, align 8
  %37 = getelementptr %struct.context, ptr %36, i32 0, i32 21
  %38 = load ptr, ptr %37, align 8
  %39 = load i64, ptr %3, align 8
  %40 = add i64 %39, 1
  %41 = getelementptr i64, ptr %38, i64 %40
  %42 = load i64, ptr %41, align 8
  store i64 %42, ptr %6, align 8
  br label %43

43:
  %44 = load i64, ptr %5, align 8
  %45 = load i64, ptr %6, align 8
  %46 = icmp ult i64 %44, %45
  br i1 %46, label %47, label %109

47:
  %48 = load ptr, ptr %2, align 8
  %49 = getelementptr %struct.context, ptr %48, i32 0, i32 22
  %50 = load ptr, ptr %49, align 8
  %51 = load i64, ptr %5, align 8
  %52 = getelementptr i32, ptr %50, i64 %51
  %53 = load i32, ptr %52, align 4
  %54 = zext i32 %53 to i64
  store i64 %54, ptr %7, align 8
  %55 = load i64, ptr %7, align 8
  %56 = icmp eq i64 %55, 4294967295
  br i1 %56, label %57, label %58

57:
  br label %106

58:
  %59 = load ptr, ptr %2, align 8
  %60 = getelementptr %struct.context, ptr %59, i32 0, i32 33
  %61 = load ptr, ptr %60, align 8
  %62 = load i64, ptr %7, align 8
  %63 = getelementptr i64, ptr %61, i64 %62
  %64 = load i64, ptr %63, align 8
  store i64 %64, ptr %8, align 8
  %65 = load i64, ptr %4, align 8
  %66 = load ptr, ptr %2, align 8
  %67 = getelementptr %struct.context, ptr %66, i32 0, i32 34
  %68 = load ptr, ptr %67, align 8
  %69 = load i64, ptr %7, align 8
  %70 = getelementptr i64, ptr %68, i64 %69
  %71 = load i64, ptr %70, align 8
  %72 = and i64 %65, %71
  %73 = load i64, ptr %8, align 8
  %74 = xor i64 %73, -1
  %75 = and i64 %72, %74
  store i64 %75, ptr %9, align 8
  %76 = load i64, ptr %9, align 8
  %77 = icmp ne i64 %76, 0
  br i1 %77, label %79, label %78

78:
  br label %106

79:
  %80 = load i64, ptr %8, align 8
  %81 = load i64, ptr %9, align 8
  %82 = or i64 %80, %81
  %83 = load ptr, ptr %2, align 8
  %84 = getelementptr %struct.context, ptr %83, i32 0, i32 33
  %85 = load ptr, ptr %84, align 8
  %86 = load i64, ptr %7, align 8
  %87 = getelementptr i64, ptr %85, i64 %86
  store i64 %82, ptr %87, align 8
  %88 = load i64, ptr %7, align 8
  %89 = load i64, ptr %3, align 8
  %90 = icmp ugt i64 %88, %89
  br i1 %90, label %91, label %97

91:
  %92 = load i64, ptr %7, align 8
  %93 = load ptr, ptr %2, align 8
  %94 = getelementptr %struct.context, ptr %93, i32 0, i32 3
  %95 = load i64, ptr %94, align 8
  %96 = icmp ult i64 %92, %95
  br label %97

97:
  %98 = phi i1 [ false, %79 ], [ %96, %91 ]
  %99 = xor i1 %98, true
  %100 = zext i1 %99 to i32
  %101 = sext i32 %100 to i64
  %102 = load ptr, ptr %2, align 8
  %103 = getelementptr %struct.context, ptr %102, i32 0, i32 36
  %104 = load i64, ptr %103, align 8
  %105 = add i64 %104, %101
  store i64 %105, ptr %103, align 8
  br label %106

106:
  %107 = load i64, ptr %5, align 8
  %108 = add i64 %107, 1
  store i64 %108, ptr %5, align 8
  br label %43, !llvm.loop !15

109:
  br label %110

110:
  %111 = load i64, ptr %3, align 8
  %112 = add i64 %111, 1
  store i64 %112, ptr %3, align 8
  br label %13, !llvm.loop !16

113:
  ret void
}

define void @stay(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %7 = load ptr, ptr %2, align 8
  %8 = getelementptr %struct.context, ptr %7, i32 0, i32 2
  %9 = load i64, ptr %8, align 8
  store i64 %9, ptr %3, align 8
  br label %10

10:
  %11 = load i64, ptr %3, align 8
  %12 = load ptr, ptr %2, align 8
  %13 = getelementptr %struct.context, ptr %12, i32 0, i32 3
  %14 = load i64, ptr %13, align 8
  %15 = icmp ult i64 %11, %14
  br i1 %15, label %16, label %54

16:
  %17 = load ptr, ptr %2, align 8
  %18 = getelementptr %struct.context, ptr %17, i32 0, i32 33
  %19 = load ptr, ptr %18, align 8
  %20 = load i64, ptr %3, align 8
  %21 = getelementptr i64, ptr %19, i64 %20
  %22 = load i64, ptr %21, align 8
  store i64 %22, ptr %4, align 8
  %23 = load i64, ptr %4, align 8
  %24 = icmp ne i64 %23, 0
  br i1 %24, label %26, label %25

25:
  br label %51

26:
  %27 = load i64, ptr %4, align 8
  %28 = load ptr, ptr %2, align 8
  %29 = load i64, ptr %3, align 8
  %30 = call i64 @taken_from(ptr noundef %28, i64 noundef %29)
  %31 = xor i64 %30, -1
  %32 = and i64 %27, %31
  store i64 %32, ptr %5, align 8
  %33 = load i64, ptr %5, align 8
  %34 = icmp ne i64 %33, 0
  br i1 %34, label %36, label %35

35:
  br label %51

36:
  %37 = load ptr, ptr %2, align 8
  %38 = load i64, ptr %3, align 8
  %39 = call i64 @stopped_in(ptr noundef %37, i64 noundef %38)
  %40 = load i64, ptr %5, align 8
  %41 = and i64 %39, %40
  store i64 %41, ptr %6, align 8
  %42 = load i64, ptr %5, align 8
  %43 = load i64, ptr %6, align 8
  %44 = xor i64 %42, %43
  %45 = load ptr, ptr %2, align 8
  %46 = getelementptr %struct.context, ptr %45, i32 0, i32 36
  %47 = load i64, ptr %46, align 8
  %48 = or i64 %47, %44
  store i64 %48, ptr %46, align 8
  %49 = load ptr, ptr %2, align 8
  %50 = load i64, ptr %6, align 8
  call void @count_bits(ptr noundef %49, i64 noundef %50)
  br label %51

51:
  %52 = load i64, ptr %3, align 8
  %53 = add i64 %52, 1
  store i64 %53, ptr %3, align 8
  br label %10, !llvm.loop !17

54:
  ret void
}

define internal void @count_bits(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %7 = load i64, ptr %4, align 8
  store i64 %7, ptr %5, align 8
  br label %8

8:
  %9 = load i64, ptr %5, align 8
  %10 = icmp ne i64 %9, 0
  br i1 %10, label %11, label %16

11:
  %12 = load i64, ptr %5, align 8
  %13 = call i64 @llvm.cttz.i64(i64 %12, i1 true)
  %14 = trunc i64 %13 to i32
  %15 = sext i32 %14 to i64
  store i64 %15, ptr %6, align 8
  br label %16

16:
  %17 = phi i1 [ false, %8 ], [ true, %11 ]
  br i1 %17, label %18, label %31

18:
  %19 = load ptr, ptr %3, align 8
  %20 = getelementptr %struct.context, ptr %19, i32 0, i32 37
  %21 = load ptr, ptr %20, align 8
  %22 = load i64, ptr %6, align 8
  %23 = getelementptr i64, ptr %21, i64 %22
  %24 = load i64, ptr %23, align 8
  %25 = add i64 %24, 1
  store i64 %25, ptr %23, align 8
  br label %26

26:
  %27 = load i64, ptr %5, align 8
  %28 = sub i64 %27, 1
  %29 = load i64, ptr %5, align 8
  %30 = and i64 %29, %28
  store i64 %30, ptr %5, align 8
  br label %8, !llvm.loop !18

31:
  ret void
}

define void @tally(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %4 = load ptr, ptr %2, align 8
  %5 = getelementptr %struct.context, ptr %4, i32 0, i32 2
  %6 = load i64, ptr %5, align 8
  store i64 %6, ptr %3, align 8
  br label %7

7:
  %8 = load i64, ptr %3, align 8
  %9 = load ptr, ptr %2, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 3
  %11 = load i64, ptr %10, align 8
  %12 = icmp ult i64 %8, %11
  br i1 %12, label %13, label %48

13:
  %14 = load ptr, ptr %2, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 53
  %16 = load i64, ptr %15, align 8
  %17 = icmp ne i64 %16, 0
  br i1 %17, label %18, label %37

18:
  %19 = load ptr, ptr %2, align 8
  %20 = getelementptr %struct.context, ptr %19, i32 0, i32 39
  %21 = load ptr, ptr %20, align 8
  %22 = load i64, ptr %3, align 8
  %23 = getelementptr i32, ptr %21, i64 %22
  %24 = load i32, ptr %23, align 4
  %25 = icmp ne i32 %24, 0
  br i1 %25, label %26, label %37

26:
  %27 = load ptr, ptr %2, align 8
  %28 = getelementptr %struct.context, ptr %27, i32 0, i32 33
  %29 = load ptr, ptr %28, align 8
  %30 = load i64, ptr %3, align 8
  %31 = getelementptr i64, ptr %29, i64 %30
  %32 = load i64, ptr %31, align 8
  %33 = load ptr, ptr %2, align 8
  %34 = getelementptr %struct.context, ptr %33, i32 0, i32 36
  %35 = load i64, ptr %34, align 8
  %36 = or i64 %35, %32
  store i64 %36, ptr %34, align 8
  br label %37

37:
  %38 = load ptr, ptr %2, align 8
  %39 = load ptr, ptr %2, align 8
  %40 = getelementptr %struct.context, ptr %39, i32 0, i32 33
  %41 = load ptr, ptr %40, align 8
  %42 = load i64, ptr %3, align 8
  %43 = getelementptr i64, ptr %41, i64 %42
  %44 = load i64, ptr %43, align 8
  call void @count_bits(ptr noundef %38, i64 noundef %44)
  br label %45

45:
  %46 = load i64, ptr %3, align 8
  %47 = add i64 %46, 1
  store i64 %47, ptr %3, align 8
  br label %7, !llvm.loop !19

48:
  ret void
}

define void @doom_staying(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %4 = load ptr, ptr %2, align 8
  %5 = getelementptr %struct.context, ptr %4, i32 0, i32 2
  %6 = load i64, ptr %5, align 8
  store i64 %6, ptr %3, align 8
  br label %7

7:
  %8 = load i64, ptr %3, align 8
  %9 = load ptr, ptr %2, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 3
  %11 = load i64, ptr %10, align 8
  %12 = icmp ult i64 %8, %11
  br i1 %12, label %13, label %48

13:
  %14 = load ptr, ptr %2, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 33
  %16 = load ptr, ptr %15, align 8
  %17 = load i64, ptr %3, align 8
  %18 = getelementptr i64, ptr %16, i64 %17
  %19 = load i64, ptr %18, align 8
  %20 = load ptr, ptr %2, align 8
  %21 = getelementptr %struct.context, ptr %20, i32 0, i32 38
  %22 = load i64, ptr %21, align 8
  %23 = and i64 %19, %22
  %24 = icmp ne i64 %23, 0
  br i1 %24, label %25, label %44

25:
  %26 = load ptr, ptr %2, align 8
  %27 = load i64, ptr %3, align 8
  %28 = call i64 @possible(ptr noundef %26, i64 noundef %27)
  %29 = load ptr, ptr %2, align 8
  %30 = getelementptr %struct.context, ptr %29, i32 0, i32 38
  %31 = load i64, ptr %30, align 8
  %32 = and i64 %28, %31
  %33 = icmp ne i64 %32, 0
  br i1 %33, label %44, label %34

34:
  %35 = load ptr, ptr %2, align 8
  %36 = getelementptr %struct.context, ptr %35, i32 0, i32 52
  %37 = load ptr, ptr %36, align 8
  %38 = load i64, ptr %3, align 8
  %39 = getelementptr i32, ptr %37, i64 %38
  %40 = load i32, ptr %39, align 4
  %41 = zext i32 %40 to i64
  %42 = or i64 %41, 2147483648
  %43 = trunc i64 %42 to i32
  store i32 %43, ptr %39, align 4
  br label %44

44:
  br label %45

45:
  %46 = load i64, ptr %3, align 8
  %47 = add i64 %46, 1
  store i64 %47, ptr %3, align 8
  br label %7, !llvm.loop !20

48:
  ret void
}

define void @first_levels(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %4 = load ptr, ptr %2, align 8
  %5 = getelementptr %struct.context, ptr %4, i32 0, i32 2
  %6 = load i64, ptr %5, align 8
  store i64 %6, ptr %3, align 8
  br label %7

7:
  %8 = load i64, ptr %3, align 8
  %9 = load ptr, ptr %2, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 3
  %11 = load i64, ptr %10, align 8
  %12 = icmp ult i64 %8, %11
  br i1 %12, label %13, label %29

13:
  %14 = load ptr, ptr %2, align 8
  %15 = load i64, ptr %3, align 8
  %16 = call i32 @is_initial(ptr noundef %14, i64 noundef %15)
  %17 = icmp ne i32 %16, 0
  %18 = zext i1 %17 to i64
  %19 = select i1 %17, i64 0, i64 4294967295
  %20 = trunc i64 %19 to i32
  %21 = load ptr, ptr %2, align 8
  %22 = getelementptr %struct.context, ptr %21, i32 0, i32 55
  %23 = load ptr, ptr %22, align 8
  %24 = load i64, ptr %3, align 8
  %25 = getelementptr i32, ptr %23, i64 %24
  store i32 %20, ptr %25, align 4
  br label %26

26:
  %27 = load i64, ptr %3, align 8
  %28 = add i64 %27, 1
  store i64 %28, ptr %3, align 8
  br label %7, !llvm.loop !21

29:
  ret void
}

define internal i32 @is_initial(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = load i64, ptr %4, align 8
  %7 = call ptr @state_of(ptr noundef %5, i64 noundef %6)
  %8 = load i64, ptr @words, align 8
  %9 = getelementptr i64, ptr %7, i64 %8
  %10 = load i64, ptr %9, align 8
  %11 = lshr i64 %10, 16
  %12 = icmp eq i64 %11, 281474976710655
  %13 = zext i1 %12 to i32
  ret i32 %13
}

define void @begin(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %4 = load ptr, ptr %2, align 8
  %5 = getelementptr %struct.context, ptr %4, i32 0, i32 2
  %6 = load i64, ptr %5, align 8
  store i64 %6, ptr %3, align 8
  br label %7

7:
  %8 = load i64, ptr %3, align 8
  %9 = load ptr, ptr %2, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 3
  %11 = load i64, ptr %10, align 8
  %12 = icmp ult i64 %8, %11
  br i1 %12, label %13, label %55

13:
  %14 = load ptr, ptr %2, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 55
  %16 = load ptr, ptr %15, align 8
  %17 = load i64, ptr %3, align 8
  %18 = getelementptr i32, ptr %16, i64 %17
  store i32 -1, ptr %18, align 4
  %19 = load ptr, ptr %2, align 8
  %20 = getelementptr %struct.context, ptr %19, i32 0, i32 34
  %21 = load ptr, ptr %20, align 8
  %22 = load i64, ptr %3, align 8
  %23 = getelementptr i64, ptr %21, i64 %22
  %24 = load i64, ptr %23, align 8
  %25 = load ptr, ptr %2, align 8
  %26 = getelementptr %struct.context, ptr %25, i32 0, i32 38
  %27 = load i64, ptr %26, align 8
  %28 = and i64 %24, %27
  %29 = icmp ne i64 %28, 0
  br i1 %29, label %30, label %51

30:
  %31 = load ptr, ptr %2, align 8
  %32 = load i64, ptr %3, align 8
  %33 = call i64 @premises_in(ptr noundef %31, i64 noundef %32)
  %34 = load ptr, ptr %2, align 8
  %35 = getelementptr %struct.context, ptr %34, i32 0, i32 38
  %36 = load i64, ptr %35, align 8
  %37 = and i64 %33, %36
  %38 = icmp ne i64 %37, 0
  br i1 %38, label %39, label %51

39:
  %40 = load ptr, ptr %2, align 8
  %41 = getelementptr %struct.context, ptr %40, i32 0, i32 56
  %42 = load ptr, ptr %41, align 8
  %43 = load i64, ptr %3, align 8
  %44 = getelementptr i32, ptr %42, i64 %43
  %45 = load i32, ptr %44, align 4
  %46 = load ptr, ptr %2, align 8
  %47 = getelementptr %struct.context, ptr %46, i32 0, i32 55
  %48 = load ptr, ptr %47, align 8
  %49 = load i64, ptr %3, align 8
  %50 = getelementptr i32, ptr %48, i64 %49
  store i32 %45, ptr %50, align 4
  br label %51

51:
  br label %52

52:
  %53 = load i64, ptr %3, align 8
  %54 = add i64 %53, 1
  store i64 %54, ptr %3, align 8
  br label %7, !llvm.loop !22

55:
  ret void
}

define void @relax(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  call void @relax_in(ptr noundef %3, i32 noundef 0)
  ret void
}

define internal void @relax_in(ptr noundef %0, i32 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  %10 = load ptr, ptr %3, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 2
  %12 = load i64, ptr %11, align 8
  store i64 %12, ptr %5, align 8
  br label %13

13:
  %14 = load i64, ptr %5, align 8
  %15 = load ptr, ptr %3, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 3
  %17 = load i64, ptr %16, align 8
  %18 = icmp ult i64 %14, %17
  br i1 %18, label %19, label %106

19:
  %20 = load ptr, ptr %3, align 8
  %21 = getelementptr %struct.context, ptr %20, i32 0, i32 55
  %22 = load ptr, ptr %21, align 8
  %23 = load i64, ptr %5, align 8
  %24 = getelementptr i32, ptr %22, i64 %23
  %25 = load i32, ptr %24, align 4
  %26 = zext i32 %25 to i64
  store i64 %26, ptr %6, align 8
  %27 = load i64, ptr %6, align 8
  %28 = icmp eq i64 %27, 4294967295
  br i1 %28, label %29, label %30

29:
  br label %103

30:
  %31 = load ptr, ptr %3, align 8
  %32 = getelementptr %struct.context, ptr %31, i32 0, i32 21
  %33 = load ptr, ptr %32, align 8
  %34 = load i64, ptr %5, align 8
  %35 = getelementptr i64, ptr %33, i64 %34
  %36 = load i64, ptr %35, align 8
  store i64 %36, ptr %7, align 8
  %37 = load ptr, ptr %3, align 8
  %38 = getelementptr %struct.context, ptr %37, i32 0, i32 21
  %39 = load ptr, ptr %38, align 8
  %40 = load i64, ptr %5, align 8
  %41 = add i64 %40, 1
  %42 = getelementptr i64, ptr %39, i64 %41
  %43 = load i64, ptr %42, align 8
  store i64 %43, ptr %8, align 8
  br label %44

44:
  %45 = load i64, ptr %7, align 8
  %46 = load i64, ptr %8, align 8
  %47 = icmp ult i64 %45, %46
  br i1 %47, label %48, label %102

48:
  %49 = load ptr, ptr %3, align 8
  %50 = getelementptr %struct.context, ptr %49, i32 0, i32 22
  %51 = load ptr, ptr %50, align 8
  %52 = load i64, ptr %7, align 8
  %53 = getelementptr i32, ptr %51, i64 %52
  %54 = load i32, ptr %53, align 4
  %55 = zext i32 %54 to i64
  store i64 %55, ptr %9, align 8
  %56 = load i64, ptr %9, align 8
  %57 = icmp eq i64 %56, 4294967295
  br i1 %57, label %69, label %58

58:
  %59 = load ptr, ptr %3, align 8
  %60 = getelementptr %struct.context, ptr %59, i32 0, i32 55
  %61 = load ptr, ptr %60, align 8
  %62 = load i64, ptr %9, align 8
  %63 = getelementptr i32, ptr %61, i64 %62
  %64 = load i32, ptr %63, align 4
  %65 = zext i32 %64 to i64
  %66 = load i64, ptr %6, align 8
  %67 = add i64 %66, 1
  %68 = icmp ule i64 %65, %67
  br i1 %68, label %69, label %70

69:
  br label %99

70:
  %71 = load i32, ptr %4, align 4
  %72 = icmp ne i32 %71, 0
  br i1 %72, label %73, label %86

73:
  %74 = load ptr, ptr %3, align 8
  %75 = getelementptr %struct.context, ptr %74, i32 0, i32 33
  %76 = load ptr, ptr %75, align 8
  %77 = load i64, ptr %9, align 8
  %78 = getelementptr i64, ptr %76, i64 %77
  %79 = load i64, ptr %78, align 8
  %80 = load ptr, ptr %3, align 8
  %81 = getelementptr %struct.context, ptr %80, i32 0, i32 38
  %82 = load i64, ptr %81, align 8
  %83 = and i64 %79, %82
  %84 = icmp ne i64 %83, 0
  br i1 %84, label %86, label %85

85:
  br label %99

86:
  %87 = load i64, ptr %6, align 8
  %88 = add i64 %87, 1
  %89 = trunc i64 %88 to i32
  %90 = load ptr, ptr %3, align 8
  %91 = getelementptr %struct.context, ptr %90, i32 0, i32 55
  %92 = load ptr, ptr %91, align 8
  %93 = load i64, ptr %9, align 8
  %94 = getelementptr i32, ptr %92, i64 %93
  store i32 %89, ptr %94, align 4
  %95 = load ptr, ptr %3, align 8
  %96 = getelementptr %struct.context, ptr %95, i32 0, i32 36
  %97 = load i64, ptr %96, align 8
  %98 = add i64 %97, 1
  store i64 %98, ptr %96, align 8
  br label %99

99:
  %100 = load i64, ptr %7, align 8
  %101 = add i64 %100, 1
  store i64 %101, ptr %7, align 8
  br label %44, !llvm.loop !23

102:
  br label %103

103:
  %104 = load i64, ptr %5, align 8
  %105 = add i64 %104, 1
  store i64 %105, ptr %5, align 8
  br label %13, !llvm.loop !24

106:
  ret void
}

define void @relax_waiting(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  call void @relax_in(ptr noundef %3, i32 noundef 1)
  ret void
}

define void @nearest(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %4 = load ptr, ptr %2, align 8
  %5 = getelementptr %struct.context, ptr %4, i32 0, i32 2
  %6 = load i64, ptr %5, align 8
  store i64 %6, ptr %3, align 8
  br label %7

7:
  %8 = load i64, ptr %3, align 8
  %9 = load ptr, ptr %2, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 3
  %11 = load i64, ptr %10, align 8
  %12 = icmp ult i64 %8, %11
  br i1 %12, label %13, label %48

13:
  %14 = load ptr, ptr %2, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 52
  %16 = load ptr, ptr %15, align 8
  %17 = load i64, ptr %3, align 8
  %18 = getelementptr i32, ptr %16, i64 %17
  %19 = load i32, ptr %18, align 4
  %20 = icmp ne i32 %19, 0
  br i1 %20, label %21, label %44

21:
  %22 = load ptr, ptr %2, align 8
  %23 = load i64, ptr %3, align 8
  %24 = load ptr, ptr %2, align 8
  %25 = getelementptr %struct.context, ptr %24, i32 0, i32 55
  %26 = load ptr, ptr %25, align 8
  %27 = load i64, ptr %3, align 8
  %28 = getelementptr i32, ptr %26, i64 %27
  %29 = load i32, ptr %28, align 4
  %30 = zext i32 %29 to i64
  %31 = load ptr, ptr %2, align 8
  %32 = getelementptr %struct.context, ptr %31, i32 0, i32 52
  %33 = load ptr, ptr %32, align 8
  %34 = load i64, ptr %3, align 8
  %35 = getelementptr i32, ptr %33, i64 %34
  %36 = load i32, ptr %35, align 4
  %37 = zext i32 %36 to i64
  %38 = icmp ult i64 %37, 2147483648
  %39 = zext i1 %38 to i32
  %40 = sext i32 %39 to i64
  %41 = load ptr, ptr %2, align 8
  %42 = load i64, ptr %3, align 8
  %43 = call i64 @state_hash(ptr noundef %41, i64 noundef %42)
  call void @keep_least(ptr noundef %22, i64 noundef %23, i64 noundef %30, i64 noundef %40, i64 noundef %43)
  br label %44

44:
  br label %45

45:
  %46 = load i64, ptr %3, align 8
  %47 = add i64 %46, 1
  store i64 %47, ptr %3, align 8
  br label %7, !llvm.loop !25

48:
  ret void
}

define internal void @keep_least(ptr noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3, i64 noundef %4) #1 {
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  store ptr %0, ptr %6, align 8
  store i64 %1, ptr %7, align 8
  store i64 %2, ptr %8, align 8
  store i64 %3, ptr %9, align 8
  store i64 %4, ptr %10, align 8
  %11 = load i64, ptr %8, align 8
  %12 = load ptr, ptr %6, align 8
  %13 = getelementptr %struct.context, ptr %12, i32 0, i32 59
  %14 = load i64, ptr %13, align 8
  %15 = icmp ne i64 %11, %14
  br i1 %15, label %16, label %22

16:
  %17 = load i64, ptr %8, align 8
  %18 = load ptr, ptr %6, align 8
  %19 = getelementptr %struct.context, ptr %18, i32 0, i32 59
  %20 = load i64, ptr %19, align 8
  %21 = icmp ugt i64 %17, %20
  br i1 %21, label %40, label %41

22:
  %23 = load i64, ptr %9, align 8
  %24 = load ptr, ptr %6, align 8
  %25 = getelementptr %struct.context, ptr %24, i32 0, i32 60
  %26 = load i64, ptr %25, align 8
  %27 = icmp ne i64 %23, %26
  br i1 %27, label %28, label %34

28:
  %29 = load i64, ptr %9, align 8
  %30 = load ptr, ptr %6, align 8
  %31 = getelementptr %struct.context, ptr %30, i32 0, i32 60
  %32 = load i64, ptr %31, align 8
  %33 = icmp ugt i64 %29, %32
  br i1 %33, label %40, label %41

34:
  %35 = load i64, ptr %10, align 8
  %36 = load ptr, ptr %6, align 8
  %37 = getelementptr %struct.context, ptr %36, i32 0, i32 61
  %38 = load i64, ptr %37, align 8
  %39 = icmp uge i64 %35, %38
  br i1 %39, label %40, label %41

40:
  br label %54

41:
  %42 = load i64, ptr %8, align 8
  %43 = load ptr, ptr %6, align 8
  %44 = getelementptr %struct.context, ptr %43, i32 0, i32 59
  store i64 %42, ptr %44, align 8
  %45 = load i64, ptr %9, align 8
  %46 = load ptr, ptr %6, align 8
  %47 = getelementptr %struct.context, ptr %46, i32 0, i32 60
  store i64 %45, ptr %47, align 8
  %48 = load i64, ptr %10, align 8
  %49 = load ptr, ptr %6, align 8
  %50 = getelementptr %struct.context, ptr %49, i32 0, i32 61
  store i64 %48, ptr %50, align 8
  %51 = load i64, ptr %7, align 8
  %52 = load ptr, ptr %6, align 8
  %53 = getelementptr %struct.context, ptr %52, i32 0, i32 62
  store i64 %51, ptr %53, align 8
  br label %54

54:
  ret void
}

define internal i64 @state_hash(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = load i64, ptr %4, align 8
  %7 = call ptr @state_of(ptr noundef %5, i64 noundef %6)
  %8 = call i64 @hash_of(ptr noundef %7)
  ret i64 %8
}

define void @before(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %6 = load ptr, ptr %2, align 8
  %7 = getelementptr %struct.context, ptr %6, i32 0, i32 2
  %8 = load i64, ptr %7, align 8
  store i64 %8, ptr %3, align 8
  br label %9

9:
  %10 = load i64, ptr %3, align 8
  %11 = load ptr, ptr %2, align 8
  %12 = getelementptr %struct.context, ptr %11, i32 0, i32 3
  %13 = load i64, ptr %12, align 8
  %14 = icmp ult i64 %10, %13
  br i1 %14, label %15, label %79

15:
  %16 = load ptr, ptr %2, align 8
  %17 = getelementptr %struct.context, ptr %16, i32 0, i32 55
  %18 = load ptr, ptr %17, align 8
  %19 = load i64, ptr %3, align 8
  %20 = getelementptr i32, ptr %18, i64 %19
  %21 = load i32, ptr %20, align 4
  %22 = zext i32 %21 to i64
  %23 = load ptr, ptr %2, align 8
  %24 = getelementptr %struct.context, ptr %23, i32 0, i32 57
  %25 = load i64, ptr %24, align 8
  %26 = icmp ne i64 %22, %25
  br i1 %26, label %27, label %28

27:
  br label %76

28:
  %29 = load ptr, ptr %2, align 8
  %30 = getelementptr %struct.context, ptr %29, i32 0, i32 21
  %31 = load ptr, ptr %30, align 8
  %32 = load i64, ptr %3, align 8
  %33 = getelementptr i64, ptr %31, i64 %32
  %34 = load i64, ptr %33, align 8
  store i64 %34, ptr %4, align 8
  %35 = load ptr, ptr %2, align 8
  %36 = getelementptr %struct.context, ptr %35, i32 0, i32 21
  %37 = load ptr, ptr %36, align 8
  %38 = load i64, ptr %3, align 8
  %39 = add i64 %38, 1
  %40 = getelementptr i64, ptr %37, i64 %39
  %41 = load i64, ptr %40, align 8
  store i64 %41, ptr %5, align 8
  br label %42

42:
  %43 = load i64, ptr %4, align 8
  %44 = load i64, ptr %5, align 8
  %45 = icmp ult i64 %43, %44
  br i1 %45, label %46, label %75

46:
  %47 = load ptr, ptr %2, align 8
  %48 = getelementptr %struct.context, ptr %47, i32 0, i32 22
  %49 = load ptr, ptr %48, align 8
  %50 = load i64, ptr %4, align 8
  %51 = getelementptr i32, ptr %49, i64 %50
  %52 = load i32, ptr %51, align 4
  %53 = zext i32 %52 to i64
  %54 = load ptr, ptr %2, align 8
  %55 = getelementptr %struct.context, ptr %54, i32 0, i32 58
  %56 = load i64, ptr %55, align 8
  %57 = icmp eq i64 %53, %56
  br i1 %57, label %58, label %71

58:
  %59 = load ptr, ptr %2, align 8
  %60 = load i64, ptr %3, align 8
  %61 = load ptr, ptr %2, align 8
  %62 = getelementptr %struct.context, ptr %61, i32 0, i32 23
  %63 = load ptr, ptr %62, align 8
  %64 = load i64, ptr %4, align 8
  %65 = getelementptr i16, ptr %63, i64 %64
  %66 = load i16, ptr %65, align 2
  %67 = zext i16 %66 to i64
  %68 = load ptr, ptr %2, align 8
  %69 = load i64, ptr %3, align 8
  %70 = call i64 @state_hash(ptr noundef %68, i64 noundef %69)
  call void @keep_least(ptr noundef %59, i64 noundef %60, i64 noundef 0, i64 noundef %67, i64 noundef %70)
  br label %71

71:
  br label %72

72:
  %73 = load i64, ptr %4, align 8
  %74 = add i64 %73, 1
  store i64 %74, ptr %4, align 8
  br label %42, !llvm.loop !26

75:
  br label %76

76:
  %77 = load i64, ptr %3, align 8
  %78 = add i64 %77, 1
  store i64 %78, ptr %3, align 8
  br label %9, !llvm.loop !27

79:
  ret void
}

define i64 @count_doomed(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  store i64 0, ptr %3, align 8
  %5 = load ptr, ptr %2, align 8
  %6 = getelementptr %struct.context, ptr %5, i32 0, i32 2
  %7 = load i64, ptr %6, align 8
  store i64 %7, ptr %4, align 8
  br label %8

8:
  %9 = load i64, ptr %4, align 8
  %10 = load ptr, ptr %2, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 3
  %12 = load i64, ptr %11, align 8
  %13 = icmp ult i64 %9, %12
  br i1 %13, label %14, label %29

14:
  %15 = load ptr, ptr %2, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 52
  %17 = load ptr, ptr %16, align 8
  %18 = load i64, ptr %4, align 8
  %19 = getelementptr i32, ptr %17, i64 %18
  %20 = load i32, ptr %19, align 4
  %21 = icmp ne i32 %20, 0
  %22 = zext i1 %21 to i32
  %23 = sext i32 %22 to i64
  %24 = load i64, ptr %3, align 8
  %25 = add i64 %24, %23
  store i64 %25, ptr %3, align 8
  br label %26

26:
  %27 = load i64, ptr %4, align 8
  %28 = add i64 %27, 1
  store i64 %28, ptr %4, align 8
  br label %8, !llvm.loop !28

29:
  %30 = load i64, ptr %3, align 8
  ret i64 %30
}

define void @components(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  call void @components_in(ptr noundef %3, i32 noundef 0)
  ret void
}

define internal void @components_in(ptr noundef %0, i32 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca %struct.path, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  call void @llvm.memset.p0.i64(ptr align 8 %5, i8 0, i64 24, i1 false)
  %7 = load ptr, ptr %3, align 8
  %8 = getelementptr %struct.context, ptr %7, i32 0, i32 2
  %9 = load i64, ptr %8, align 8
  store i64 %9, ptr %6, align 8
  br label %10

10:
  %11 = load i64, ptr %6, align 8
  %12 = load ptr, ptr %3, align 8
  %13 = getelementptr %struct.context, ptr %12, i32 0, i32 3
  %14 = load i64, ptr %13, align 8
  %15 = icmp ult i64 %11, %14
  br i1 %15, label %16, label %47

16:
  %17 = load ptr, ptr %3, align 8
  %18 = getelementptr %struct.context, ptr %17, i32 0, i32 41
  %19 = load ptr, ptr %18, align 8
  %20 = load i64, ptr %6, align 8
  %21 = getelementptr i32, ptr %19, i64 %20
  %22 = load i32, ptr %21, align 4
  %23 = icmp ne i32 %22, 0
  br i1 %23, label %32, label %24

24:
  %25 = load i32, ptr %4, align 4
  %26 = icmp ne i32 %25, 0
  br i1 %26, label %27, label %33

27:
  %28 = load ptr, ptr %3, align 8
  %29 = load i64, ptr %6, align 8
  %30 = call i32 @outsider(ptr noundef %28, i64 noundef %29)
  %31 = icmp ne i32 %30, 0
  br i1 %31, label %32, label %33

32:
  br label %44

33:
  %34 = load ptr, ptr %3, align 8
  %35 = load i64, ptr %6, align 8
  call void @enter(ptr noundef %34, ptr noundef %5, i64 noundef %35)
  br label %36

36:
  %37 = getelementptr %struct.path, ptr %5, i32 0, i32 2
  %38 = load i64, ptr %37, align 8
  %39 = icmp ne i64 %38, 0
  br i1 %39, label %40, label %43

40:
  %41 = load ptr, ptr %3, align 8
  %42 = load i32, ptr %4, align 4
  call void @go_on(ptr noundef %41, ptr noundef %5, i32 noundef %42)
  br label %36, !llvm.loop !29

43:
  br label %44

44:
  %45 = load i64, ptr %6, align 8
  %46 = add i64 %45, 1
  store i64 %46, ptr %6, align 8
  br label %10, !llvm.loop !30

47:
  ret void
}

define void @components_within(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  call void @components_in(ptr noundef %3, i32 noundef 1)
  ret void
}

define void @condense(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  store i64 0, ptr %3, align 8
  store i64 0, ptr %4, align 8
  br label %8

8:
  %9 = load i64, ptr %4, align 8
  %10 = load ptr, ptr %2, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 53
  %12 = load i64, ptr %11, align 8
  %13 = icmp ule i64 %9, %12
  br i1 %13, label %14, label %23

14:
  %15 = load ptr, ptr %2, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 41
  %17 = load ptr, ptr %16, align 8
  %18 = load i64, ptr %4, align 8
  %19 = getelementptr i32, ptr %17, i64 %18
  store i32 0, ptr %19, align 4
  br label %20

20:
  %21 = load i64, ptr %4, align 8
  %22 = add i64 %21, 1
  store i64 %22, ptr %4, align 8
  br label %8, !llvm.loop !31

23:
  %24 = load ptr, ptr %2, align 8
  %25 = getelementptr %struct.context, ptr %24, i32 0, i32 2
  %26 = load i64, ptr %25, align 8
  store i64 %26, ptr %5, align 8
  br label %27

27:
  %28 = load i64, ptr %5, align 8
  %29 = load ptr, ptr %2, align 8
  %30 = getelementptr %struct.context, ptr %29, i32 0, i32 3
  %31 = load i64, ptr %30, align 8
  %32 = icmp ult i64 %28, %31
  br i1 %32, label %33, label %50

33:
  %34 = load ptr, ptr %2, align 8
  %35 = getelementptr %struct.context, ptr %34, i32 0, i32 41
  %36 = load ptr, ptr %35, align 8
  %37 = load ptr, ptr %2, align 8
  %38 = getelementptr %struct.context, ptr %37, i32 0, i32 39
  %39 = load ptr, ptr %38, align 8
  %40 = load i64, ptr %5, align 8
  %41 = getelementptr i32, ptr %39, i64 %40
  %42 = load i32, ptr %41, align 4
  %43 = zext i32 %42 to i64
  %44 = getelementptr i32, ptr %36, i64 %43
  %45 = load i32, ptr %44, align 4
  %46 = add i32 %45, 1
  store i32 %46, ptr %44, align 4
  br label %47

47:
  %48 = load i64, ptr %5, align 8
  %49 = add i64 %48, 1
  store i64 %49, ptr %5, align 8
  br label %27, !llvm.loop !32

50:
  %51 = load ptr, ptr %2, align 8
  %52 = getelementptr %struct.context, ptr %51, i32 0, i32 41
  %53 = load ptr, ptr %52, align 8
  %54 = getelementptr i32, ptr %53, i64 0
  store i32 0, ptr %54, align 4
  store i64 1, ptr %6, align 8
  br label %55

55:
  %56 = load i64, ptr %6, align 8
  %57 = load ptr, ptr %2, align 8
  %58 = getelementptr %struct.context, ptr %57, i32 0, i32 53
  %59 = load i64, ptr %58, align 8
  %60 = icmp ule i64 %56, %59
  br i1 %60, label %61, label %84

61:
  %62 = load ptr, ptr %2, align 8
  %63 = getelementptr %struct.context, ptr %62, i32 0, i32 41
  %64 = load ptr, ptr %63, align 8
  %65 = load i64, ptr %6, align 8
  %66 = getelementptr i32, ptr %64, i64 %65
  %67 = load i32, ptr %66, align 4
  %68 = icmp ugt i32 %67, 1
  br i1 %68, label %69, label %72

69:
  %70 = load i64, ptr %3, align 8
  %71 = add i64 %70, 1
  store i64 %71, ptr %3, align 8
  br label %73

72:
  br label %73

73:
  %74 = phi i64 [ %71, %69 ], [ 0, %72 ]
  %75 = trunc i64 %74 to i32
  %76 = load ptr, ptr %2, align 8
  %77 = getelementptr %struct.context, ptr %76, i32 0, i32 41
  %78 = load ptr, ptr %77, align 8
  %79 = load i64, ptr %6, align 8
  %80 = getelementptr i32, ptr %78, i64 %79
  store i32 %75, ptr %80, align 4
  br label %81

81:
  %82 = load i64, ptr %6, align 8
  %83 = add i64 %82, 1
  store i64 %83, ptr %6, align 8
  br label %55, !llvm.loop !33

84:
  %85 = load ptr, ptr %2, align 8
  %86 = getelementptr %struct.context, ptr %85, i32 0, i32 2
  %87 = load i64, ptr %86, align 8
  store i64 %87, ptr %7, align 8
  br label %88

88:
  %89 = load i64, ptr %7, align 8
  %90 = load ptr, ptr %2, align 8
  %91 = getelementptr %struct.context, ptr %90, i32 0, i32 3
  %92 = load i64, ptr %91, align 8
  %93 = icmp ult i64 %89, %92
  br i1 %93, label %94, label %115

94:
  %95 = load ptr, ptr %2, align 8
  %96 = getelementptr %struct.context, ptr %95, i32 0, i32 41
  %97 = load ptr, ptr %96, align 8
  %98 = load ptr, ptr %2, align 8
  %99 = getelementptr %struct.context, ptr %98, i32 0, i32 39
  %100 = load ptr, ptr %99, align 8
  %101 = load i64, ptr %7, align 8
  %102 = getelementptr i32, ptr %100, i64 %101
  %103 = load i32, ptr %102, align 4
  %104 = zext i32 %103 to i64
  %105 = getelementptr i32, ptr %97, i64 %104
  %106 = load i32, ptr %105, align 4
  %107 = load ptr, ptr %2, align 8
  %108 = getelementptr %struct.context, ptr %107, i32 0, i32 39
  %109 = load ptr, ptr %108, align 8
  %110 = load i64, ptr %7, align 8
  %111 = getelementptr i32, ptr %109, i64 %110
  store i32 %106, ptr %111, align 4
  br label %112

112:
  %113 = load i64, ptr %7, align 8
  %114 = add i64 %113, 1
  store i64 %114, ptr %7, align 8
  br label %88, !llvm.loop !34

115:
  %116 = load i64, ptr %3, align 8
  %117 = load ptr, ptr %2, align 8
  %118 = getelementptr %struct.context, ptr %117, i32 0, i32 53
  store i64 %116, ptr %118, align 8
  ret void
}

define void @weigh(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %10 = load ptr, ptr %2, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 2
  %12 = load i64, ptr %11, align 8
  store i64 %12, ptr %3, align 8
  br label %13

13:
  %14 = load i64, ptr %3, align 8
  %15 = load ptr, ptr %2, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 3
  %17 = load i64, ptr %16, align 8
  %18 = icmp ult i64 %14, %17
  br i1 %18, label %19, label %118

19:
  %20 = load ptr, ptr %2, align 8
  %21 = getelementptr %struct.context, ptr %20, i32 0, i32 39
  %22 = load ptr, ptr %21, align 8
  %23 = load i64, ptr %3, align 8
  %24 = getelementptr i32, ptr %22, i64 %23
  %25 = load i32, ptr %24, align 4
  %26 = zext i32 %25 to i64
  store i64 %26, ptr %4, align 8
  store i64 0, ptr %5, align 8
  %27 = load i64, ptr %4, align 8
  %28 = icmp ne i64 %27, 0
  br i1 %28, label %30, label %29

29:
  br label %115

30:
  %31 = load ptr, ptr %2, align 8
  %32 = getelementptr %struct.context, ptr %31, i32 0, i32 21
  %33 = load ptr, ptr %32, align 8
  %34 = load i64, ptr %3, align 8
  %35 = getelementptr i64, ptr %33, i64 %34
  %36 = load i64, ptr %35, align 8
  store i64 %36, ptr %6, align 8
  %37 = load ptr, ptr %2, align 8
  %38 = getelementptr %struct.context, ptr %37, i32 0, i32 21
  %39 = load ptr, ptr %38, align 8
  %40 = load i64, ptr %3, align 8
  %41 = add i64 %40, 1
  %42 = getelementptr i64, ptr %39, i64 %41
  %43 = load i64, ptr %42, align 8
  store i64 %43, ptr %7, align 8
  br label %44

44:
  %45 = load i64, ptr %6, align 8
  %46 = load i64, ptr %7, align 8
  %47 = icmp ult i64 %45, %46
  br i1 %47, label %48, label %87

48:
  %49 = load ptr, ptr %2, align 8
  %50 = getelementptr %struct.context, ptr %49, i32 0, i32 22
  %51 = load ptr, ptr %50, align 8
  %52 = load i64, ptr %6, align 8
  %53 = getelementptr i32, ptr %51, i64 %52
  %54 = load i32, ptr %53, align 4
  %55 = zext i32 %54 to i64
  store i64 %55, ptr %8, align 8
  %56 = load i64, ptr %8, align 8
  %57 = icmp ne i64 %56, 4294967295
  br i1 %57, label %58, label %83

58:
  %59 = load ptr, ptr %2, align 8
  %60 = getelementptr %struct.context, ptr %59, i32 0, i32 39
  %61 = load ptr, ptr %60, align 8
  %62 = load i64, ptr %8, align 8
  %63 = getelementptr i32, ptr %61, i64 %62
  %64 = load i32, ptr %63, align 4
  %65 = zext i32 %64 to i64
  %66 = load i64, ptr %4, align 8
  %67 = icmp eq i64 %65, %66
  br i1 %67, label %68, label %83

68:
  %69 = load ptr, ptr %2, align 8
  %70 = getelementptr %struct.context, ptr %69, i32 0, i32 32
  %71 = load ptr, ptr %70, align 8
  %72 = load ptr, ptr %2, align 8
  %73 = getelementptr %struct.context, ptr %72, i32 0, i32 23
  %74 = load ptr, ptr %73, align 8
  %75 = load i64, ptr %6, align 8
  %76 = getelementptr i16, ptr %74, i64 %75
  %77 = load i16, ptr %76, align 2
  %78 = zext i16 %77 to i64
  %79 = getelementptr i64, ptr %71, i64 %78
  %80 = load i64, ptr %79, align 8
  %81 = load i64, ptr %5, align 8
  %82 = or i64 %81, %80
  store i64 %82, ptr %5, align 8
  br label %83

83:
  br label %84

84:
  %85 = load i64, ptr %6, align 8
  %86 = add i64 %85, 1
  store i64 %86, ptr %6, align 8
  br label %44, !llvm.loop !35

87:
  %88 = load ptr, ptr %2, align 8
  %89 = load i64, ptr %3, align 8
  %90 = call i64 @possible(ptr noundef %88, i64 noundef %89)
  store i64 %90, ptr %9, align 8
  %91 = load i64, ptr %9, align 8
  %92 = load ptr, ptr %2, align 8
  %93 = getelementptr %struct.context, ptr %92, i32 0, i32 45
  %94 = load ptr, ptr %93, align 8
  %95 = load i64, ptr %4, align 8
  %96 = getelementptr i64, ptr %94, i64 %95
  %97 = load i64, ptr %96, align 8
  %98 = and i64 %97, %91
  store i64 %98, ptr %96, align 8
  %99 = load i64, ptr %9, align 8
  %100 = load ptr, ptr %2, align 8
  %101 = getelementptr %struct.context, ptr %100, i32 0, i32 47
  %102 = load ptr, ptr %101, align 8
  %103 = load i64, ptr %4, align 8
  %104 = getelementptr i64, ptr %102, i64 %103
  %105 = load i64, ptr %104, align 8
  %106 = or i64 %105, %99
  store i64 %106, ptr %104, align 8
  %107 = load i64, ptr %5, align 8
  %108 = load ptr, ptr %2, align 8
  %109 = getelementptr %struct.context, ptr %108, i32 0, i32 46
  %110 = load ptr, ptr %109, align 8
  %111 = load i64, ptr %4, align 8
  %112 = getelementptr i64, ptr %110, i64 %111
  %113 = load i64, ptr %112, align 8
  %114 = or i64 %113, %107
  store i64 %114, ptr %112, align 8
  br label %115

115:
  %116 = load i64, ptr %3, align 8
  %117 = add i64 %116, 1
  store i64 %117, ptr %3, align 8
  br label %13, !llvm.loop !36

118:
  ret void
}

define void @settle(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  store i64 1, ptr %3, align 8
  br label %6

6:
  %7 = load i64, ptr %3, align 8
  %8 = load ptr, ptr %2, align 8
  %9 = getelementptr %struct.context, ptr %8, i32 0, i32 53
  %10 = load i64, ptr %9, align 8
  %11 = icmp ule i64 %7, %10
  br i1 %11, label %12, label %69

12:
  %13 = load ptr, ptr %2, align 8
  %14 = getelementptr %struct.context, ptr %13, i32 0, i32 46
  %15 = load ptr, ptr %14, align 8
  %16 = load i64, ptr %3, align 8
  %17 = getelementptr i64, ptr %15, i64 %16
  %18 = load i64, ptr %17, align 8
  %19 = xor i64 %18, -1
  store i64 %19, ptr %4, align 8
  %20 = load ptr, ptr %2, align 8
  %21 = getelementptr %struct.context, ptr %20, i32 0, i32 47
  %22 = load ptr, ptr %21, align 8
  %23 = load i64, ptr %3, align 8
  %24 = getelementptr i64, ptr %22, i64 %23
  %25 = load i64, ptr %24, align 8
  %26 = load i64, ptr %4, align 8
  %27 = and i64 %25, %26
  %28 = load ptr, ptr %2, align 8
  %29 = getelementptr %struct.context, ptr %28, i32 0, i32 50
  %30 = load i64, ptr %29, align 8
  %31 = and i64 %27, %30
  store i64 %31, ptr %5, align 8
  %32 = load ptr, ptr %2, align 8
  %33 = getelementptr %struct.context, ptr %32, i32 0, i32 45
  %34 = load ptr, ptr %33, align 8
  %35 = load i64, ptr %3, align 8
  %36 = getelementptr i64, ptr %34, i64 %35
  %37 = load i64, ptr %36, align 8
  %38 = load i64, ptr %4, align 8
  %39 = and i64 %37, %38
  %40 = load ptr, ptr %2, align 8
  %41 = getelementptr %struct.context, ptr %40, i32 0, i32 49
  %42 = load i64, ptr %41, align 8
  %43 = and i64 %39, %42
  %44 = icmp ne i64 %43, 0
  %45 = zext i1 %44 to i64
  %46 = select i1 %44, i32 1, i32 0
  %47 = load i64, ptr %5, align 8
  %48 = icmp ne i64 %47, 0
  %49 = zext i1 %48 to i64
  %50 = select i1 %48, i32 2, i32 0
  %51 = or i32 %46, %50
  %52 = sext i32 %51 to i64
  %53 = load ptr, ptr %2, align 8
  %54 = getelementptr %struct.context, ptr %53, i32 0, i32 48
  %55 = load ptr, ptr %54, align 8
  %56 = load i64, ptr %3, align 8
  %57 = getelementptr i64, ptr %55, i64 %56
  %58 = load i64, ptr %57, align 8
  %59 = or i64 %58, %52
  store i64 %59, ptr %57, align 8
  %60 = load i64, ptr %5, align 8
  %61 = load ptr, ptr %2, align 8
  %62 = getelementptr %struct.context, ptr %61, i32 0, i32 45
  %63 = load ptr, ptr %62, align 8
  %64 = load i64, ptr %3, align 8
  %65 = getelementptr i64, ptr %63, i64 %64
  store i64 %60, ptr %65, align 8
  br label %66

66:
  %67 = load i64, ptr %3, align 8
  %68 = add i64 %67, 1
  store i64 %68, ptr %3, align 8
  br label %6, !llvm.loop !37

69:
  ret void
}

define void @leave(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %4 = load ptr, ptr %2, align 8
  %5 = getelementptr %struct.context, ptr %4, i32 0, i32 2
  %6 = load i64, ptr %5, align 8
  store i64 %6, ptr %3, align 8
  br label %7

7:
  %8 = load i64, ptr %3, align 8
  %9 = load ptr, ptr %2, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 3
  %11 = load i64, ptr %10, align 8
  %12 = icmp ult i64 %8, %11
  br i1 %12, label %13, label %49

13:
  %14 = load ptr, ptr %2, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 39
  %16 = load ptr, ptr %15, align 8
  %17 = load i64, ptr %3, align 8
  %18 = getelementptr i32, ptr %16, i64 %17
  %19 = load i32, ptr %18, align 4
  %20 = icmp ne i32 %19, 0
  br i1 %20, label %21, label %45

21:
  %22 = load ptr, ptr %2, align 8
  %23 = load i64, ptr %3, align 8
  %24 = call i64 @possible(ptr noundef %22, i64 noundef %23)
  %25 = load ptr, ptr %2, align 8
  %26 = getelementptr %struct.context, ptr %25, i32 0, i32 45
  %27 = load ptr, ptr %26, align 8
  %28 = load ptr, ptr %2, align 8
  %29 = getelementptr %struct.context, ptr %28, i32 0, i32 39
  %30 = load ptr, ptr %29, align 8
  %31 = load i64, ptr %3, align 8
  %32 = getelementptr i32, ptr %30, i64 %31
  %33 = load i32, ptr %32, align 4
  %34 = zext i32 %33 to i64
  %35 = getelementptr i64, ptr %27, i64 %34
  %36 = load i64, ptr %35, align 8
  %37 = and i64 %24, %36
  %38 = icmp ne i64 %37, 0
  br i1 %38, label %39, label %45

39:
  %40 = load ptr, ptr %2, align 8
  %41 = getelementptr %struct.context, ptr %40, i32 0, i32 51
  %42 = load ptr, ptr %41, align 8
  %43 = load i64, ptr %3, align 8
  %44 = getelementptr i32, ptr %42, i64 %43
  store i32 1, ptr %44, align 4
  br label %45

45:
  br label %46

46:
  %47 = load i64, ptr %3, align 8
  %48 = add i64 %47, 1
  store i64 %48, ptr %3, align 8
  br label %7, !llvm.loop !38

49:
  ret void
}

define void @mark(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %5 = load ptr, ptr %2, align 8
  %6 = getelementptr %struct.context, ptr %5, i32 0, i32 2
  %7 = load i64, ptr %6, align 8
  store i64 %7, ptr %3, align 8
  br label %8

8:
  %9 = load i64, ptr %3, align 8
  %10 = load ptr, ptr %2, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 3
  %12 = load i64, ptr %11, align 8
  %13 = icmp ult i64 %9, %12
  br i1 %13, label %14, label %85

14:
  %15 = load ptr, ptr %2, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 39
  %17 = load ptr, ptr %16, align 8
  %18 = load i64, ptr %3, align 8
  %19 = getelementptr i32, ptr %17, i64 %18
  %20 = load i32, ptr %19, align 4
  %21 = zext i32 %20 to i64
  store i64 %21, ptr %4, align 8
  %22 = load ptr, ptr %2, align 8
  %23 = getelementptr %struct.context, ptr %22, i32 0, i32 40
  %24 = load ptr, ptr %23, align 8
  %25 = load i64, ptr %3, align 8
  %26 = getelementptr i32, ptr %24, i64 %25
  store i32 0, ptr %26, align 4
  %27 = load i64, ptr %4, align 8
  %28 = icmp ne i64 %27, 0
  br i1 %28, label %30, label %29

29:
  br label %82

30:
  %31 = load ptr, ptr %2, align 8
  %32 = getelementptr %struct.context, ptr %31, i32 0, i32 48
  %33 = load ptr, ptr %32, align 8
  %34 = load i64, ptr %4, align 8
  %35 = getelementptr i64, ptr %33, i64 %34
  %36 = load i64, ptr %35, align 8
  %37 = icmp ne i64 %36, 0
  br i1 %37, label %53, label %38

38:
  %39 = load ptr, ptr %2, align 8
  %40 = getelementptr %struct.context, ptr %39, i32 0, i32 57
  %41 = load i64, ptr %40, align 8
  %42 = load i64, ptr %4, align 8
  %43 = add i64 %41, %42
  %44 = load ptr, ptr %2, align 8
  %45 = getelementptr %struct.context, ptr %44, i32 0, i32 52
  %46 = load ptr, ptr %45, align 8
  %47 = load i64, ptr %3, align 8
  %48 = getelementptr i32, ptr %46, i64 %47
  %49 = load i32, ptr %48, align 4
  %50 = zext i32 %49 to i64
  %51 = or i64 %50, %43
  %52 = trunc i64 %51 to i32
  store i32 %52, ptr %48, align 4
  br label %53

53:
  %54 = load ptr, ptr %2, align 8
  %55 = getelementptr %struct.context, ptr %54, i32 0, i32 48
  %56 = load ptr, ptr %55, align 8
  %57 = load i64, ptr %4, align 8
  %58 = getelementptr i64, ptr %56, i64 %57
  %59 = load i64, ptr %58, align 8
  %60 = icmp eq i64 %59, 2
  br i1 %60, label %61, label %81

61:
  %62 = load ptr, ptr %2, align 8
  %63 = getelementptr %struct.context, ptr %62, i32 0, i32 51
  %64 = load ptr, ptr %63, align 8
  %65 = load i64, ptr %3, align 8
  %66 = getelementptr i32, ptr %64, i64 %65
  %67 = load i32, ptr %66, align 4
  %68 = icmp ne i32 %67, 0
  br i1 %68, label %81, label %69

69:
  %70 = load i64, ptr %4, align 8
  %71 = trunc i64 %70 to i32
  %72 = load ptr, ptr %2, align 8
  %73 = getelementptr %struct.context, ptr %72, i32 0, i32 40
  %74 = load ptr, ptr %73, align 8
  %75 = load i64, ptr %3, align 8
  %76 = getelementptr i32, ptr %74, i64 %75
  store i32 %71, ptr %76, align 4
  %77 = load ptr, ptr %2, align 8
  %78 = getelementptr %struct.context, ptr %77, i32 0, i32 36
  %79 = load i64, ptr %78, align 8
  %80 = add i64 %79, 1
  store i64 %80, ptr %78, align 8
  br label %81

81:
  br label %82

82:
  %83 = load i64, ptr %3, align 8
  %84 = add i64 %83, 1
  store i64 %84, ptr %3, align 8
  br label %8, !llvm.loop !39

85:
  ret void
}

define void @find_ends(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %8 = load ptr, ptr %2, align 8
  %9 = getelementptr %struct.context, ptr %8, i32 0, i32 2
  %10 = load i64, ptr %9, align 8
  store i64 %10, ptr %3, align 8
  br label %11

11:
  %12 = load i64, ptr %3, align 8
  %13 = load ptr, ptr %2, align 8
  %14 = getelementptr %struct.context, ptr %13, i32 0, i32 3
  %15 = load i64, ptr %14, align 8
  %16 = icmp ult i64 %12, %15
  br i1 %16, label %17, label %74

17:
  store i64 0, ptr %4, align 8
  store i64 0, ptr %5, align 8
  %18 = load ptr, ptr %2, align 8
  %19 = getelementptr %struct.context, ptr %18, i32 0, i32 21
  %20 = load ptr, ptr %19, align 8
  %21 = load i64, ptr %3, align 8
  %22 = getelementptr i64, ptr %20, i64 %21
  %23 = load i64, ptr %22, align 8
  store i64 %23, ptr %6, align 8
  %24 = load ptr, ptr %2, align 8
  %25 = getelementptr %struct.context, ptr %24, i32 0, i32 21
  %26 = load ptr, ptr %25, align 8
  %27 = load i64, ptr %3, align 8
  %28 = add i64 %27, 1
  %29 = getelementptr i64, ptr %26, i64 %28
  %30 = load i64, ptr %29, align 8
  store i64 %30, ptr %7, align 8
  br label %31

31:
  %32 = load i64, ptr %6, align 8
  %33 = load i64, ptr %7, align 8
  %34 = icmp ult i64 %32, %33
  br i1 %34, label %35, label %53

35:
  %36 = load ptr, ptr %2, align 8
  %37 = getelementptr %struct.context, ptr %36, i32 0, i32 22
  %38 = load ptr, ptr %37, align 8
  %39 = load i64, ptr %6, align 8
  %40 = getelementptr i32, ptr %38, i64 %39
  %41 = load i32, ptr %40, align 4
  %42 = zext i32 %41 to i64
  %43 = icmp ne i64 %42, 4294967295
  %44 = zext i1 %43 to i32
  %45 = sext i32 %44 to i64
  store i64 %45, ptr %4, align 8
  %46 = load i64, ptr %4, align 8
  %47 = icmp ne i64 %46, 0
  br i1 %47, label %48, label %49

48:
  br label %53

49:
  store i64 1, ptr %5, align 8
  br label %50

50:
  %51 = load i64, ptr %6, align 8
  %52 = add i64 %51, 1
  store i64 %52, ptr %6, align 8
  br label %31, !llvm.loop !40

53:
  %54 = load i64, ptr %4, align 8
  %55 = icmp ne i64 %54, 0
  br i1 %55, label %70, label %56

56:
  %57 = load ptr, ptr %2, align 8
  %58 = load i64, ptr %3, align 8
  %59 = call i64 @stopped_in(ptr noundef %57, i64 noundef %58)
  %60 = load i64, ptr %5, align 8
  %61 = or i64 %59, %60
  %62 = icmp ne i64 %61, 0
  %63 = zext i1 %62 to i64
  %64 = select i1 %62, i32 2, i32 1
  %65 = load ptr, ptr %2, align 8
  %66 = getelementptr %struct.context, ptr %65, i32 0, i32 54
  %67 = load ptr, ptr %66, align 8
  %68 = load i64, ptr %3, align 8
  %69 = getelementptr i32, ptr %67, i64 %68
  store i32 %64, ptr %69, align 4
  br label %70

70:
  br label %71

71:
  %72 = load i64, ptr %3, align 8
  %73 = add i64 %72, 1
  store i64 %73, ptr %3, align 8
  br label %11, !llvm.loop !41

74:
  ret void
}

define void @note_ends(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %4 = load ptr, ptr %2, align 8
  %5 = getelementptr %struct.context, ptr %4, i32 0, i32 2
  %6 = load i64, ptr %5, align 8
  store i64 %6, ptr %3, align 8
  br label %7

7:
  %8 = load i64, ptr %3, align 8
  %9 = load ptr, ptr %2, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 3
  %11 = load i64, ptr %10, align 8
  %12 = icmp ult i64 %8, %11
  br i1 %12, label %13, label %39

13:
  %14 = load ptr, ptr %2, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 54
  %16 = load ptr, ptr %15, align 8
  %17 = load i64, ptr %3, align 8
  %18 = getelementptr i32, ptr %16, i64 %17
  %19 = load i32, ptr %18, align 4
  %20 = icmp eq i32 %19, 1
  br i1 %20, label %21, label %35

21:
  %22 = load ptr, ptr %2, align 8
  %23 = getelementptr %struct.context, ptr %22, i32 0, i32 33
  %24 = load ptr, ptr %23, align 8
  %25 = load i64, ptr %3, align 8
  %26 = getelementptr i64, ptr %24, i64 %25
  %27 = load i64, ptr %26, align 8
  %28 = icmp ne i64 %27, 0
  br i1 %28, label %29, label %35

29:
  %30 = load ptr, ptr %2, align 8
  %31 = getelementptr %struct.context, ptr %30, i32 0, i32 54
  %32 = load ptr, ptr %31, align 8
  %33 = load i64, ptr %3, align 8
  %34 = getelementptr i32, ptr %32, i64 %33
  store i32 3, ptr %34, align 4
  br label %35

35:
  br label %36

36:
  %37 = load i64, ptr %3, align 8
  %38 = add i64 %37, 1
  store i64 %38, ptr %3, align 8
  br label %7, !llvm.loop !42

39:
  ret void
}

define i64 @count_ends(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  store i64 0, ptr %3, align 8
  %5 = load ptr, ptr %2, align 8
  %6 = getelementptr %struct.context, ptr %5, i32 0, i32 2
  %7 = load i64, ptr %6, align 8
  store i64 %7, ptr %4, align 8
  br label %8

8:
  %9 = load i64, ptr %4, align 8
  %10 = load ptr, ptr %2, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 3
  %12 = load i64, ptr %11, align 8
  %13 = icmp ult i64 %9, %12
  br i1 %13, label %14, label %33

14:
  %15 = load ptr, ptr %2, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 54
  %17 = load ptr, ptr %16, align 8
  %18 = load i64, ptr %4, align 8
  %19 = getelementptr i32, ptr %17, i64 %18
  %20 = load i32, ptr %19, align 4
  %21 = zext i32 %20 to i64
  %22 = load ptr, ptr %2, align 8
  %23 = getelementptr %struct.context, ptr %22, i32 0, i32 57
  %24 = load i64, ptr %23, align 8
  %25 = icmp eq i64 %21, %24
  %26 = zext i1 %25 to i32
  %27 = sext i32 %26 to i64
  %28 = load i64, ptr %3, align 8
  %29 = add i64 %28, %27
  store i64 %29, ptr %3, align 8
  br label %30

30:
  %31 = load i64, ptr %4, align 8
  %32 = add i64 %31, 1
  store i64 %32, ptr %4, align 8
  br label %8, !llvm.loop !43

33:
  %34 = load i64, ptr %3, align 8
  ret i64 %34
}

define void @nearest_end(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %4 = load ptr, ptr %2, align 8
  %5 = getelementptr %struct.context, ptr %4, i32 0, i32 2
  %6 = load i64, ptr %5, align 8
  store i64 %6, ptr %3, align 8
  br label %7

7:
  %8 = load i64, ptr %3, align 8
  %9 = load ptr, ptr %2, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 3
  %11 = load i64, ptr %10, align 8
  %12 = icmp ult i64 %8, %11
  br i1 %12, label %13, label %42

13:
  %14 = load ptr, ptr %2, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 54
  %16 = load ptr, ptr %15, align 8
  %17 = load i64, ptr %3, align 8
  %18 = getelementptr i32, ptr %16, i64 %17
  %19 = load i32, ptr %18, align 4
  %20 = zext i32 %19 to i64
  %21 = load ptr, ptr %2, align 8
  %22 = getelementptr %struct.context, ptr %21, i32 0, i32 57
  %23 = load i64, ptr %22, align 8
  %24 = icmp eq i64 %20, %23
  br i1 %24, label %25, label %38

25:
  %26 = load ptr, ptr %2, align 8
  %27 = load i64, ptr %3, align 8
  %28 = load ptr, ptr %2, align 8
  %29 = getelementptr %struct.context, ptr %28, i32 0, i32 56
  %30 = load ptr, ptr %29, align 8
  %31 = load i64, ptr %3, align 8
  %32 = getelementptr i32, ptr %30, i64 %31
  %33 = load i32, ptr %32, align 4
  %34 = zext i32 %33 to i64
  %35 = load ptr, ptr %2, align 8
  %36 = load i64, ptr %3, align 8
  %37 = call i64 @state_hash(ptr noundef %35, i64 noundef %36)
  call void @keep_least(ptr noundef %26, i64 noundef %27, i64 noundef %34, i64 noundef 0, i64 noundef %37)
  br label %38

38:
  br label %39

39:
  %40 = load i64, ptr %3, align 8
  %41 = add i64 %40, 1
  store i64 %41, ptr %3, align 8
  br label %7, !llvm.loop !44

42:
  ret void
}

define void @origins(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %11 = load ptr, ptr %2, align 8
  %12 = getelementptr %struct.context, ptr %11, i32 0, i32 2
  %13 = load i64, ptr %12, align 8
  store i64 %13, ptr %3, align 8
  br label %14

14:
  %15 = load i64, ptr %3, align 8
  %16 = load ptr, ptr %2, align 8
  %17 = getelementptr %struct.context, ptr %16, i32 0, i32 3
  %18 = load i64, ptr %17, align 8
  %19 = icmp ult i64 %15, %18
  br i1 %19, label %20, label %146

20:
  %21 = load ptr, ptr %2, align 8
  %22 = getelementptr %struct.context, ptr %21, i32 0, i32 55
  %23 = load ptr, ptr %22, align 8
  %24 = load i64, ptr %3, align 8
  %25 = getelementptr i32, ptr %23, i64 %24
  %26 = load i32, ptr %25, align 4
  %27 = zext i32 %26 to i64
  store i64 %27, ptr %4, align 8
  %28 = load i64, ptr %4, align 8
  %29 = icmp eq i64 %28, 4294967295
  br i1 %29, label %30, label %31

30:
  br label %143

31:
  %32 = load ptr, ptr %2, align 8
  %33 = load i64, ptr %3, align 8
  %34 = call i64 @state_hash(ptr noundef %32, i64 noundef %33)
  store i64 %34, ptr %5, align 8
  %35 = load ptr, ptr %2, align 8
  %36 = getelementptr %struct.context, ptr %35, i32 0, i32 21
  %37 = load ptr, ptr %36, align 8
  %38 = load i64, ptr %3, align 8
  %39 = getelementptr i64, ptr %37, i64 %38
  %40 = load i64, ptr %39, align 8
  store i64 %40, ptr %6, align 8
  %41 = load ptr, ptr %2, align 8
  %42 = getelementptr %struct.context, ptr %41, i32 0, i32 21
  %43 = load ptr, ptr %42, align 8
  %44 = load i64, ptr %3, align 8
  %45 = add i64 %44, 1
  %46 = getelementptr i64, ptr %43, i64 %45
  %47 = load i64, ptr %46, align 8
  store i64 %47, ptr %7, align 8
  br label %48

48:
  %49 = load i64, ptr %6, align 8
  %50 = load i64, ptr %7, align 8
  %51 = icmp ult i64 %49, %50
  br i1 %51, label %52, label %142

52:
  %53 = load ptr, ptr %2, align 8
  %54 = getelementptr %struct.context, ptr %53, i32 0, i32 22
  %55 = load ptr, ptr %54, align 8
  %56 = load i64, ptr %6, align 8
  %57 = getelementptr i32, ptr %55, i64 %56
  %58 = load i32, ptr %57, align 4
  %59 = zext i32 %58 to i64
  store i64 %59, ptr %8, align 8
  %60 = load ptr, ptr %2, align 8
  %61 = getelementptr %struct.context, ptr %60, i32 0, i32 23
  %62 = load ptr, ptr %61, align 8
  %63 = load i64, ptr %6, align 8
  %64 = getelementptr i16, ptr %62, i64 %63
  %65 = load i16, ptr %64, align 2
  %66 = zext i16 %65 to i64
  store i64 %66, ptr %9, align 8
  %67 = load i64, ptr %8, align 8
  %68 = icmp eq i64 %67, 4294967295
  br i1 %68, label %92, label %69

69:
  %70 = load ptr, ptr %2, align 8
  %71 = getelementptr %struct.context, ptr %70, i32 0, i32 55
  %72 = load ptr, ptr %71, align 8
  %73 = load i64, ptr %8, align 8
  %74 = getelementptr i32, ptr %72, i64 %73
  %75 = load i32, ptr %74, align 4
  %76 = zext i32 %75 to i64
  %77 = load i64, ptr %4, align 8
  %78 = add i64 %77, 1
  %79 = icmp ne i64 %76, %78
  br i1 %79, label %92, label %80

80:
  %81 = load ptr, ptr %2, align 8
  %82 = getelementptr %struct.context, ptr %81, i32 0, i32 33
  %83 = load ptr, ptr %82, align 8
  %84 = load i64, ptr %8, align 8
  %85 = getelementptr i64, ptr %83, i64 %84
  %86 = load i64, ptr %85, align 8
  %87 = load ptr, ptr %2, align 8
  %88 = getelementptr %struct.context, ptr %87, i32 0, i32 38
  %89 = load i64, ptr %88, align 8
  %90 = and i64 %86, %89
  %91 = icmp ne i64 %90, 0
  br i1 %91, label %93, label %92

92:
  br label %139

93:
  %94 = load ptr, ptr %2, align 8
  %95 = getelementptr %struct.context, ptr %94, i32 0, i32 64
  %96 = load ptr, ptr %95, align 8
  %97 = load i64, ptr %8, align 8
  %98 = getelementptr i32, ptr %96, i64 %97
  %99 = load i32, ptr %98, align 4
  %100 = zext i32 %99 to i64
  store i64 %100, ptr %10, align 8
  %101 = load i64, ptr %9, align 8
  %102 = load i64, ptr %10, align 8
  %103 = icmp ne i64 %101, %102
  br i1 %103, label %104, label %108

104:
  %105 = load i64, ptr %9, align 8
  %106 = load i64, ptr %10, align 8
  %107 = icmp ugt i64 %105, %106
  br i1 %107, label %117, label %118

108:
  %109 = load i64, ptr %5, align 8
  %110 = load ptr, ptr %2, align 8
  %111 = getelementptr %struct.context, ptr %110, i32 0, i32 65
  %112 = load ptr, ptr %111, align 8
  %113 = load i64, ptr %8, align 8
  %114 = getelementptr i64, ptr %112, i64 %113
  %115 = load i64, ptr %114, align 8
  %116 = icmp uge i64 %109, %115
  br i1 %116, label %117, label %118

117:
  br label %139

118:
  %119 = load i64, ptr %9, align 8
  %120 = trunc i64 %119 to i32
  %121 = load ptr, ptr %2, align 8
  %122 = getelementptr %struct.context, ptr %121, i32 0, i32 64
  %123 = load ptr, ptr %122, align 8
  %124 = load i64, ptr %8, align 8
  %125 = getelementptr i32, ptr %123, i64 %124
  store i32 %120, ptr %125, align 4
  %126 = load i64, ptr %5, align 8
  %127 = load ptr, ptr %2, align 8
  %128 = getelementptr %struct.context, ptr %127, i32 0, i32 65
  %129 = load ptr, ptr %128, align 8
  %130 = load i64, ptr %8, align 8
  %131 = getelementptr i64, ptr %129, i64 %130
  store i64 %126, ptr %131, align 8
  %132 = load i64, ptr %3, align 8
  %133 = trunc i64 %132 to i32
  %134 = load ptr, ptr %2, align 8
  %135 = getelementptr %struct.context, ptr %134, i32 0, i32 63
  %136 = load ptr, ptr %135, align 8
  %137 = load i64, ptr %8, align 8
  %138 = getelementptr i32, ptr %136, i64 %137
  store i32 %133, ptr %138, align 4
  br label %139

139:
  %140 = load i64, ptr %6, align 8
  %141 = add i64 %140, 1
  store i64 %141, ptr %6, align 8
  br label %48, !llvm.loop !45

142:
  br label %143

143:
  %144 = load i64, ptr %3, align 8
  %145 = add i64 %144, 1
  store i64 %145, ptr %3, align 8
  br label %14, !llvm.loop !46

146:
  ret void
}

define void @first_failing(ptr noalias noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %4 = load ptr, ptr %2, align 8
  %5 = getelementptr %struct.context, ptr %4, i32 0, i32 2
  %6 = load i64, ptr %5, align 8
  store i64 %6, ptr %3, align 8
  br label %7

7:
  %8 = load i64, ptr %3, align 8
  %9 = load ptr, ptr %2, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 3
  %11 = load i64, ptr %10, align 8
  %12 = icmp ult i64 %8, %11
  br i1 %12, label %13, label %39

13:
  %14 = load ptr, ptr %2, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 29
  %16 = load ptr, ptr %15, align 8
  %17 = load ptr, ptr %2, align 8
  %18 = load i64, ptr %3, align 8
  %19 = call ptr @state_of(ptr noundef %17, i64 noundef %18)
  %20 = call i64 %16(ptr noundef %19)
  %21 = icmp ne i64 %20, 0
  br i1 %21, label %22, label %35

22:
  %23 = load ptr, ptr %2, align 8
  %24 = load i64, ptr %3, align 8
  %25 = load ptr, ptr %2, align 8
  %26 = getelementptr %struct.context, ptr %25, i32 0, i32 56
  %27 = load ptr, ptr %26, align 8
  %28 = load i64, ptr %3, align 8
  %29 = getelementptr i32, ptr %27, i64 %28
  %30 = load i32, ptr %29, align 4
  %31 = zext i32 %30 to i64
  %32 = load ptr, ptr %2, align 8
  %33 = load i64, ptr %3, align 8
  %34 = call i64 @state_hash(ptr noundef %32, i64 noundef %33)
  call void @keep_least(ptr noundef %23, i64 noundef %24, i64 noundef %31, i64 noundef 0, i64 noundef %34)
  br label %35

35:
  br label %36

36:
  %37 = load i64, ptr %3, align 8
  %38 = add i64 %37, 1
  store i64 %38, ptr %3, align 8
  br label %7, !llvm.loop !47

39:
  ret void
}

define internal i64 @make_eight(ptr noundef %0, i64 noundef %1, i64 noundef %2) #1 {
  %4 = alloca i64, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  %10 = alloca ptr, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  %15 = alloca i64, align 8
  %16 = alloca ptr, align 8
  %17 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store i64 %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  %18 = load ptr, ptr %5, align 8
  %19 = getelementptr %struct.context, ptr %18, i32 0, i32 19
  %20 = load ptr, ptr %19, align 8
  store ptr %20, ptr %8, align 8
  %21 = load ptr, ptr %5, align 8
  %22 = getelementptr %struct.context, ptr %21, i32 0, i32 20
  %23 = load i64, ptr %22, align 8
  store i64 %23, ptr %9, align 8
  %24 = load ptr, ptr %8, align 8
  %25 = getelementptr i64, ptr %24, i64 24
  store ptr %25, ptr %10, align 8
  %26 = load ptr, ptr %5, align 8
  %27 = getelementptr %struct.context, ptr %26, i32 0, i32 18
  %28 = load ptr, ptr %27, align 8
  %29 = load ptr, ptr %5, align 8
  %30 = load i64, ptr %6, align 8
  %31 = call ptr @state_of(ptr noundef %29, i64 noundef %30)
  %32 = load ptr, ptr %10, align 8
  %33 = load i64, ptr %9, align 8
  %34 = load ptr, ptr %8, align 8
  %35 = call i64 %28(ptr noundef %31, ptr noundef %32, i64 noundef %33, ptr noundef %34, i64 noundef 0)
  store i64 %35, ptr %11, align 8
  %36 = load i64, ptr %11, align 8
  %37 = icmp eq i64 %36, -1
  br i1 %37, label %38, label %39

38:
  store i64 -1, ptr %4, align 8
  br label %103

39:
  %40 = load ptr, ptr %8, align 8
  %41 = load i64, ptr %7, align 8
  %42 = call i64 @place_lanes(ptr noundef %40, i64 noundef %41)
  store i64 %42, ptr %12, align 8
  store i64 0, ptr %13, align 8
  br label %43

43:
  %44 = load i64, ptr %13, align 8
  %45 = load i64, ptr %11, align 8
  %46 = icmp ult i64 %44, %45
  br i1 %46, label %47, label %101

47:
  %48 = load ptr, ptr %10, align 8
  %49 = load i64, ptr %9, align 8
  %50 = load i64, ptr @words, align 8
  %51 = mul i64 %49, %50
  %52 = load i64, ptr %13, align 8
  %53 = add i64 %51, %52
  %54 = getelementptr i64, ptr %48, i64 %53
  %55 = load i64, ptr %54, align 8
  store i64 %55, ptr %14, align 8
  %56 = load i64, ptr %14, align 8
  %57 = lshr i64 %56, 16
  store i64 %57, ptr %15, align 8
  %58 = load ptr, ptr %5, align 8
  %59 = getelementptr %struct.context, ptr %58, i32 0, i32 13
  %60 = load ptr, ptr %59, align 8
  %61 = load ptr, ptr %8, align 8
  %62 = load i64, ptr %15, align 8
  %63 = add i64 8, %62
  %64 = getelementptr i64, ptr %61, i64 %63
  %65 = load i64, ptr %64, align 8
  %66 = add i64 %65, 1
  store i64 %66, ptr %64, align 8
  %67 = call ptr @entry(ptr noundef %60, i64 noundef %65)
  store ptr %67, ptr %16, align 8
  store i64 0, ptr %17, align 8
  br label %68

68:
  %69 = load i64, ptr %17, align 8
  %70 = load i64, ptr @words, align 8
  %71 = icmp ult i64 %69, %70
  br i1 %71, label %72, label %87

72:
  %73 = load ptr, ptr %10, align 8
  %74 = load i64, ptr %9, align 8
  %75 = load i64, ptr %17, align 8
  %76 = mul i64 %74, %75
  %77 = load i64, ptr %13, align 8
  %78 = add i64 %76, %77
  %79 = getelementptr i64, ptr %73, i64 %78
  %80 = load i64, ptr %79, align 8
  %81 = load ptr, ptr %16, align 8
  %82 = load i64, ptr %17, align 8
  %83 = getelementptr i64, ptr %81, i64 %82
  store i64 %80, ptr %83, align 8
  br label %84

84:
  %85 = load i64, ptr %17, align 8
  %86 = add i64 %85, 1
  store i64 %86, ptr %17, align 8
  br label %68, !llvm.loop !48

87:
  %88 = load i64, ptr %14, align 8
  %89 = and i64 %88, 65535
  %90 = load ptr, ptr %16, align 8
  %91 = load i64, ptr @words, align 8
  %92 = getelementptr i64, ptr %90, i64 %91
  store i64 %89, ptr %92, align 8
  %93 = load ptr, ptr %5, align 8
  %94 = load ptr, ptr %16, align 8
  %95 = load i64, ptr %6, align 8
  %96 = load i64, ptr %15, align 8
  %97 = add i64 %95, %96
  call void @prepare(ptr noundef %93, ptr noundef %94, i64 noundef %97)
  br label %98

98:
  %99 = load i64, ptr %13, align 8
  %100 = add i64 %99, 1
  store i64 %100, ptr %13, align 8
  br label %43, !llvm.loop !50

101:
  %102 = load i64, ptr %12, align 8
  store i64 %102, ptr %4, align 8
  br label %103

103:
  %104 = load i64, ptr %4, align 8
  ret i64 %104
}

define internal void @prepare(ptr noundef %0, ptr noundef %1, i64 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca %struct.table, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %9 = load ptr, ptr %5, align 8
  %10 = call i64 @hash_of(ptr noundef %9)
  store i64 %10, ptr %7, align 8
  %11 = load i64, ptr %7, align 8
  %12 = load ptr, ptr %5, align 8
  %13 = load i64, ptr @words, align 8
  %14 = add i64 %13, 1
  %15 = getelementptr i64, ptr %12, i64 %14
  store i64 %11, ptr %15, align 8
  %16 = load i64, ptr %6, align 8
  %17 = load ptr, ptr %5, align 8
  %18 = load i64, ptr @words, align 8
  %19 = add i64 %18, 2
  %20 = getelementptr i64, ptr %17, i64 %19
  store i64 %16, ptr %20, align 8
  %21 = load ptr, ptr %4, align 8
  %22 = load i64, ptr %7, align 8
  %23 = call { ptr, i64 } @table_of(ptr noundef %21, i64 noundef %22)
  %24 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 0
  %25 = extractvalue { ptr, i64 } %23, 0
  store ptr %25, ptr %24, align 8
  %26 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 1
  %27 = extractvalue { ptr, i64 } %23, 1
  store i64 %27, ptr %26, align 8
  %28 = getelementptr %struct.table, ptr %8, i32 0, i32 0
  %29 = load ptr, ptr %28, align 8
  %30 = load i64, ptr %7, align 8
  %31 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 0
  %32 = load ptr, ptr %31, align 8
  %33 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 1
  %34 = load i64, ptr %33, align 8
  %35 = call i64 @bucket_home(ptr %32, i64 %34, i64 noundef %30)
  %36 = getelementptr i64, ptr %29, i64 %35
  call void @prefetch(ptr noundef %36)
  ret void
}

define internal i64 @place_lanes(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %7 = load i64, ptr %4, align 8
  store i64 %7, ptr %5, align 8
  store i32 0, ptr %6, align 4
  br label %8

8:
  %9 = load i32, ptr %6, align 4
  %10 = icmp slt i32 %9, 8
  br i1 %10, label %11, label %28

11:
  %12 = load i64, ptr %5, align 8
  %13 = load ptr, ptr %3, align 8
  %14 = load i32, ptr %6, align 4
  %15 = add i32 8, %14
  %16 = sext i32 %15 to i64
  %17 = getelementptr i64, ptr %13, i64 %16
  store i64 %12, ptr %17, align 8
  %18 = load ptr, ptr %3, align 8
  %19 = load i32, ptr %6, align 4
  %20 = sext i32 %19 to i64
  %21 = getelementptr i64, ptr %18, i64 %20
  %22 = load i64, ptr %21, align 8
  %23 = load i64, ptr %5, align 8
  %24 = add i64 %23, %22
  store i64 %24, ptr %5, align 8
  br label %25

25:
  %26 = load i32, ptr %6, align 4
  %27 = add i32 %26, 1
  store i32 %27, ptr %6, align 4
  br label %8, !llvm.loop !51

28:
  %29 = load i64, ptr %5, align 8
  ret i64 %29
}

define internal i64 @lower_half(i64 noundef %0, i64 noundef %1) #1 {
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  store i64 %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load i64, ptr %3, align 8
  %6 = and i64 %5, 4294967295
  %7 = load i64, ptr %4, align 8
  %8 = mul i64 %6, %7
  %9 = lshr i64 %8, 32
  ret i64 %9
}

define internal { i64, i64 } @shown_by(ptr noundef %0, i64 noundef %1, i32 noundef %2) #1 {
  %4 = alloca %struct.shown, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i32, align 4
  %8 = alloca <8 x i64>, align 64
  %9 = alloca i8, align 1
  %10 = alloca i8, align 1
  %11 = alloca i8, align 1
  %12 = alloca i8, align 1
  store ptr %0, ptr %5, align 8
  store i64 %1, ptr %6, align 8
  store i32 %2, ptr %7, align 4
  %13 = load i32, ptr %7, align 4
  %14 = icmp ne i32 %13, 0
  br i1 %14, label %15, label %18

15:
  %16 = load ptr, ptr %5, align 8
  %17 = load volatile <8 x i64>, ptr %16, align 64
  store <8 x i64> %17, ptr %8, align 64
  br label %21

18:
  %19 = load ptr, ptr %5, align 8
  %20 = load <8 x i64>, ptr %19, align 64
  store <8 x i64> %20, ptr %8, align 64
  br label %21

21:
  %22 = load <8 x i64>, ptr %8, align 64
  %23 = lshr <8 x i64> %22, splat (i64 32)
  %24 = load i64, ptr %6, align 8
  %25 = insertelement <8 x i64> poison, i64 %24, i64 0
  %26 = shufflevector <8 x i64> %25, <8 x i64> poison, <8 x i32> zeroinitializer
  %27 = icmp eq <8 x i64> %23, %26
  %28 = sext <8 x i1> %27 to <8 x i64>
  %29 = icmp ne <8 x i64> %28, zeroinitializer
  %30 = bitcast <8 x i1> %29 to i8
  store i8 %30, ptr %9, align 1
  %31 = load <8 x i64>, ptr %8, align 64
  %32 = icmp eq <8 x i64> %31, zeroinitializer
  %33 = sext <8 x i1> %32 to <8 x i64>
  %34 = icmp ne <8 x i64> %33, zeroinitializer
  %35 = bitcast <8 x i1> %34 to i8
  store i8 %35, ptr %10, align 1
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %11, ptr align 1 %9, i64 1, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %12, ptr align 1 %10, i64 1, i1 false)
  %36 = getelementptr inbounds nuw %struct.shown, ptr %4, i32 0, i32 0
  %37 = load i8, ptr %11, align 1
  %38 = zext i8 %37 to i64
  store i64 %38, ptr %36, align 8
  %39 = getelementptr inbounds nuw %struct.shown, ptr %4, i32 0, i32 1
  %40 = load i8, ptr %12, align 1
  %41 = zext i8 %40 to i64
  store i64 %41, ptr %39, align 8
  %42 = load { i64, i64 }, ptr %4, align 8
  ret { i64, i64 } %42
}

declare i64 @llvm.cttz.i64(i64, i1 immarg) #2

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #3

define internal i64 @upper_half(i64 noundef %0, i64 noundef %1) #1 {
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  store i64 %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load i64, ptr %3, align 8
  %6 = lshr i64 %5, 32
  %7 = load i64, ptr %4, align 8
  %8 = mul i64 %6, %7
  %9 = lshr i64 %8, 32
  ret i64 %9
}

declare void @llvm.prefetch.p0(ptr readonly captures(none), i32 immarg, i32 immarg, i32 immarg) #4

define internal i64 @differs(ptr noundef %0, ptr noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  store i64 0, ptr %5, align 8
  store i64 0, ptr %6, align 8
  br label %7

7:
  %8 = load i64, ptr %6, align 8
  %9 = load i64, ptr @words, align 8
  %10 = icmp ult i64 %8, %9
  br i1 %10, label %11, label %26

11:
  %12 = load ptr, ptr %3, align 8
  %13 = load i64, ptr %6, align 8
  %14 = getelementptr i64, ptr %12, i64 %13
  %15 = load i64, ptr %14, align 8
  %16 = load ptr, ptr %4, align 8
  %17 = load i64, ptr %6, align 8
  %18 = getelementptr i64, ptr %16, i64 %17
  %19 = load i64, ptr %18, align 8
  %20 = xor i64 %15, %19
  %21 = load i64, ptr %5, align 8
  %22 = or i64 %21, %20
  store i64 %22, ptr %5, align 8
  br label %23

23:
  %24 = load i64, ptr %6, align 8
  %25 = add i64 %24, 1
  store i64 %25, ptr %6, align 8
  br label %7, !llvm.loop !52

26:
  %27 = load i64, ptr %5, align 8
  ret i64 %27
}

define internal i64 @after(ptr %0, i64 %1, i64 noundef %2, i64 noundef %3) #1 {
  %5 = alloca %struct.table, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = getelementptr inbounds nuw { ptr, i64 }, ptr %5, i32 0, i32 0
  store ptr %0, ptr %8, align 8
  %9 = getelementptr inbounds nuw { ptr, i64 }, ptr %5, i32 0, i32 1
  store i64 %1, ptr %9, align 8
  store i64 %2, ptr %6, align 8
  store i64 %3, ptr %7, align 8
  %10 = load i64, ptr %6, align 8
  %11 = load i64, ptr %7, align 8
  %12 = add i64 %10, %11
  %13 = getelementptr %struct.table, ptr %5, i32 0, i32 1
  %14 = load i64, ptr %13, align 8
  %15 = icmp eq i64 %12, %14
  br i1 %15, label %16, label %17

16:
  br label %21

17:
  %18 = load i64, ptr %6, align 8
  %19 = load i64, ptr %7, align 8
  %20 = add i64 %18, %19
  br label %21

21:
  %22 = phi i64 [ 0, %16 ], [ %20, %17 ]
  ret i64 %22
}

define internal i64 @hash_bits(ptr noundef %0, ptr noundef %1, i32 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i32 %2, ptr %6, align 4
  %12 = load i32, ptr %6, align 4
  %13 = mul i32 4, %12
  %14 = sext i32 %13 to i64
  %15 = getelementptr i64, ptr @SECRETS, i64 %14
  store ptr %15, ptr %7, align 8
  %16 = load ptr, ptr %7, align 8
  %17 = getelementptr i64, ptr %16, i64 1
  %18 = load i64, ptr %17, align 8
  store i64 %18, ptr %8, align 8
  store i64 0, ptr %9, align 8
  br label %19

19:
  %20 = load i64, ptr %9, align 8
  %21 = load i64, ptr @words, align 8
  %22 = icmp ult i64 %20, %21
  br i1 %22, label %23, label %78

23:
  %24 = load ptr, ptr %4, align 8
  %25 = load i64, ptr %9, align 8
  %26 = getelementptr i64, ptr %24, i64 %25
  %27 = load i64, ptr %26, align 8
  store i64 %27, ptr %10, align 8
  %28 = load i64, ptr %9, align 8
  %29 = add i64 %28, 1
  %30 = load i64, ptr @words, align 8
  %31 = icmp ult i64 %29, %30
  br i1 %31, label %32, label %38

32:
  %33 = load ptr, ptr %4, align 8
  %34 = load i64, ptr %9, align 8
  %35 = add i64 %34, 1
  %36 = getelementptr i64, ptr %33, i64 %35
  %37 = load i64, ptr %36, align 8
  br label %39

38:
  br label %39

39:
  %40 = phi i64 [ %37, %32 ], [ 0, %38 ]
  store i64 %40, ptr %11, align 8
  %41 = load ptr, ptr %5, align 8
  %42 = icmp ne ptr %41, null
  br i1 %42, label %43, label %65

43:
  %44 = load ptr, ptr %5, align 8
  %45 = load i64, ptr %9, align 8
  %46 = getelementptr i64, ptr %44, i64 %45
  %47 = load i64, ptr %46, align 8
  %48 = load i64, ptr %10, align 8
  %49 = and i64 %48, %47
  store i64 %49, ptr %10, align 8
  %50 = load i64, ptr %9, align 8
  %51 = add i64 %50, 1
  %52 = load i64, ptr @words, align 8
  %53 = icmp ult i64 %51, %52
  br i1 %53, label %54, label %60

54:
  %55 = load ptr, ptr %5, align 8
  %56 = load i64, ptr %9, align 8
  %57 = add i64 %56, 1
  %58 = getelementptr i64, ptr %55, i64 %57
  %59 = load i64, ptr %58, align 8
  br label %61

60:
  br label %61

61:
  %62 = phi i64 [ %59, %54 ], [ 0, %60 ]
  %63 = load i64, ptr %11, align 8
  %64 = and i64 %63, %62
  store i64 %64, ptr %11, align 8
  br label %65

65:
  %66 = load i64, ptr %10, align 8
  %67 = load ptr, ptr %7, align 8
  %68 = getelementptr i64, ptr %67, i64 0
  %69 = load i64, ptr %68, align 8
  %70 = xor i64 %66, %69
  %71 = load i64, ptr %11, align 8
  %72 = load i64, ptr %8, align 8
  %73 = xor i64 %71, %72
  %74 = call i64 @folded(i64 noundef %70, i64 noundef %73)
  store i64 %74, ptr %8, align 8
  br label %75

75:
  %76 = load i64, ptr %9, align 8
  %77 = add i64 %76, 2
  store i64 %77, ptr %9, align 8
  br label %19, !llvm.loop !53

78:
  %79 = load i64, ptr %8, align 8
  %80 = load ptr, ptr %7, align 8
  %81 = getelementptr i64, ptr %80, i64 2
  %82 = load i64, ptr %81, align 8
  %83 = xor i64 %79, %82
  %84 = load ptr, ptr %7, align 8
  %85 = getelementptr i64, ptr %84, i64 3
  %86 = load i64, ptr %85, align 8
  %87 = call i64 @folded(i64 noundef %83, i64 noundef %86)
  ret i64 %87
}

define internal i64 @folded(i64 noundef %0, i64 noundef %1) #1 {
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  %5 = alloca i128, align 16
  store i64 %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %6 = load i64, ptr %3, align 8
  %7 = zext i64 %6 to i128
  %8 = load i64, ptr %4, align 8
  %9 = zext i64 %8 to i128
  %10 = mul i128 %7, %9
  store i128 %10, ptr %5, align 16
  %11 = load i128, ptr %5, align 16
  %12 = trunc i128 %11 to i64
  %13 = load i128, ptr %5, align 16
  %14 = lshr i128 %13, 64
  %15 = trunc i128 %14 to i64
  %16 = xor i64 %12, %15
  ret i64 %16
}

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #5

define internal i32 @outsider(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr %struct.context, ptr %5, i32 0, i32 40
  %7 = load ptr, ptr %6, align 8
  %8 = load i64, ptr %4, align 8
  %9 = getelementptr i32, ptr %7, i64 %8
  %10 = load i32, ptr %9, align 4
  %11 = icmp ne i32 %10, 0
  br i1 %11, label %12, label %25

12:
  %13 = load ptr, ptr %3, align 8
  %14 = getelementptr %struct.context, ptr %13, i32 0, i32 33
  %15 = load ptr, ptr %14, align 8
  %16 = load i64, ptr %4, align 8
  %17 = getelementptr i64, ptr %15, i64 %16
  %18 = load i64, ptr %17, align 8
  %19 = load ptr, ptr %3, align 8
  %20 = getelementptr %struct.context, ptr %19, i32 0, i32 38
  %21 = load i64, ptr %20, align 8
  %22 = and i64 %18, %21
  %23 = icmp ne i64 %22, 0
  %24 = xor i1 %23, true
  br label %25

25:
  %26 = phi i1 [ true, %2 ], [ %24, %12 ]
  %27 = zext i1 %26 to i32
  ret i32 %27
}

define internal void @enter(ptr noundef %0, ptr noundef %1, i64 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %5, align 8
  %8 = getelementptr %struct.path, ptr %7, i32 0, i32 0
  %9 = load i64, ptr %8, align 8
  %10 = add i64 %9, 1
  store i64 %10, ptr %8, align 8
  %11 = trunc i64 %10 to i32
  %12 = load ptr, ptr %4, align 8
  %13 = getelementptr %struct.context, ptr %12, i32 0, i32 41
  %14 = load ptr, ptr %13, align 8
  %15 = load i64, ptr %6, align 8
  %16 = getelementptr i32, ptr %14, i64 %15
  store i32 %11, ptr %16, align 4
  %17 = load ptr, ptr %5, align 8
  %18 = getelementptr %struct.path, ptr %17, i32 0, i32 0
  %19 = load i64, ptr %18, align 8
  %20 = or i64 %19, 2147483648
  %21 = trunc i64 %20 to i32
  %22 = load ptr, ptr %4, align 8
  %23 = getelementptr %struct.context, ptr %22, i32 0, i32 39
  %24 = load ptr, ptr %23, align 8
  %25 = load i64, ptr %6, align 8
  %26 = getelementptr i32, ptr %24, i64 %25
  store i32 %21, ptr %26, align 4
  %27 = load i64, ptr %6, align 8
  %28 = trunc i64 %27 to i32
  %29 = load ptr, ptr %4, align 8
  %30 = getelementptr %struct.context, ptr %29, i32 0, i32 42
  %31 = load ptr, ptr %30, align 8
  %32 = load ptr, ptr %5, align 8
  %33 = getelementptr %struct.path, ptr %32, i32 0, i32 1
  %34 = load i64, ptr %33, align 8
  %35 = add i64 %34, 1
  store i64 %35, ptr %33, align 8
  %36 = getelementptr i32, ptr %31, i64 %34
  store i32 %28, ptr %36, align 4
  %37 = load i64, ptr %6, align 8
  %38 = trunc i64 %37 to i32
  %39 = load ptr, ptr %4, align 8
  %40 = getelementptr %struct.context, ptr %39, i32 0, i32 43
  %41 = load ptr, ptr %40, align 8
  %42 = load ptr, ptr %5, align 8
  %43 = getelementptr %struct.path, ptr %42, i32 0, i32 2
  %44 = load i64, ptr %43, align 8
  %45 = getelementptr i32, ptr %41, i64 %44
  store i32 %38, ptr %45, align 4
  %46 = load ptr, ptr %4, align 8
  %47 = getelementptr %struct.context, ptr %46, i32 0, i32 21
  %48 = load ptr, ptr %47, align 8
  %49 = load i64, ptr %6, align 8
  %50 = getelementptr i64, ptr %48, i64 %49
  %51 = load i64, ptr %50, align 8
  %52 = load ptr, ptr %4, align 8
  %53 = getelementptr %struct.context, ptr %52, i32 0, i32 44
  %54 = load ptr, ptr %53, align 8
  %55 = load ptr, ptr %5, align 8
  %56 = getelementptr %struct.path, ptr %55, i32 0, i32 2
  %57 = load i64, ptr %56, align 8
  %58 = add i64 %57, 1
  store i64 %58, ptr %56, align 8
  %59 = getelementptr i64, ptr %54, i64 %57
  store i64 %51, ptr %59, align 8
  ret void
}

define internal void @go_on(ptr noundef %0, ptr noundef %1, i32 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i32 %2, ptr %6, align 4
  %13 = load ptr, ptr %5, align 8
  %14 = getelementptr %struct.path, ptr %13, i32 0, i32 2
  %15 = load i64, ptr %14, align 8
  %16 = sub i64 %15, 1
  store i64 %16, ptr %7, align 8
  %17 = load ptr, ptr %4, align 8
  %18 = getelementptr %struct.context, ptr %17, i32 0, i32 43
  %19 = load ptr, ptr %18, align 8
  %20 = load i64, ptr %7, align 8
  %21 = getelementptr i32, ptr %19, i64 %20
  %22 = load i32, ptr %21, align 4
  %23 = zext i32 %22 to i64
  store i64 %23, ptr %8, align 8
  %24 = load ptr, ptr %4, align 8
  %25 = getelementptr %struct.context, ptr %24, i32 0, i32 44
  %26 = load ptr, ptr %25, align 8
  %27 = load i64, ptr %7, align 8
  %28 = getelementptr i64, ptr %26, i64 %27
  %29 = load i64, ptr %28, align 8
  store i64 %29, ptr %9, align 8
  %30 = load i64, ptr %9, align 8
  %31 = load ptr, ptr %4, align 8
  %32 = getelementptr %struct.context, ptr %31, i32 0, i32 21
  %33 = load ptr, ptr %32, align 8
  %34 = load i64, ptr %8, align 8
  %35 = add i64 %34, 1
  %36 = getelementptr i64, ptr %33, i64 %35
  %37 = load i64, ptr %36, align 8
  %38 = icmp ult i64 %30, %37
  br i1 %38, label %39, label %114

39:
  %40 = load i64, ptr %9, align 8
  %41 = add i64 %40, 1
  %42 = load ptr, ptr %4, align 8
  %43 = getelementptr %struct.context, ptr %42, i32 0, i32 44
  %44 = load ptr, ptr %43, align 8
  %45 = load i64, ptr %7, align 8
  %46 = getelementptr i64, ptr %44, i64 %45
  store i64 %41, ptr %46, align 8
  %47 = load ptr, ptr %4, align 8
  %48 = getelementptr %struct.context, ptr %47, i32 0, i32 22
  %49 = load ptr, ptr %48, align 8
  %50 = load i64, ptr %9, align 8
  %51 = getelementptr i32, ptr %49, i64 %50
  %52 = load i32, ptr %51, align 4
  %53 = zext i32 %52 to i64
  store i64 %53, ptr %10, align 8
  %54 = load i64, ptr %10, align 8
  %55 = icmp eq i64 %54, 4294967295
  br i1 %55, label %56, label %57

56:
  br label %187

57:
  %58 = load i32, ptr %6, align 4
  %59 = icmp ne i32 %58, 0
  br i1 %59, label %60, label %80

60:
  %61 = load ptr, ptr %4, align 8
  %62 = load i64, ptr %10, align 8
  %63 = call i32 @outsider(ptr noundef %61, i64 noundef %62)
  %64 = icmp ne i32 %63, 0
  br i1 %64, label %79, label %65

65:
  %66 = load ptr, ptr %4, align 8
  %67 = getelementptr %struct.context, ptr %66, i32 0, i32 40
  %68 = load ptr, ptr %67, align 8
  %69 = load i64, ptr %10, align 8
  %70 = getelementptr i32, ptr %68, i64 %69
  %71 = load i32, ptr %70, align 4
  %72 = load ptr, ptr %4, align 8
  %73 = getelementptr %struct.context, ptr %72, i32 0, i32 40
  %74 = load ptr, ptr %73, align 8
  %75 = load i64, ptr %8, align 8
  %76 = getelementptr i32, ptr %74, i64 %75
  %77 = load i32, ptr %76, align 4
  %78 = icmp ne i32 %71, %77
  br i1 %78, label %79, label %80

79:
  br label %187

80:
  %81 = load ptr, ptr %4, align 8
  %82 = getelementptr %struct.context, ptr %81, i32 0, i32 41
  %83 = load ptr, ptr %82, align 8
  %84 = load i64, ptr %10, align 8
  %85 = getelementptr i32, ptr %83, i64 %84
  %86 = load i32, ptr %85, align 4
  %87 = icmp ne i32 %86, 0
  br i1 %87, label %92, label %88

88:
  %89 = load ptr, ptr %4, align 8
  %90 = load ptr, ptr %5, align 8
  %91 = load i64, ptr %10, align 8
  call void @enter(ptr noundef %89, ptr noundef %90, i64 noundef %91)
  br label %113

92:
  %93 = load ptr, ptr %4, align 8
  %94 = getelementptr %struct.context, ptr %93, i32 0, i32 39
  %95 = load ptr, ptr %94, align 8
  %96 = load i64, ptr %10, align 8
  %97 = getelementptr i32, ptr %95, i64 %96
  %98 = load i32, ptr %97, align 4
  %99 = zext i32 %98 to i64
  %100 = icmp uge i64 %99, 2147483648
  br i1 %100, label %101, label %112

101:
  %102 = load ptr, ptr %4, align 8
  %103 = load i64, ptr %8, align 8
  %104 = load ptr, ptr %4, align 8
  %105 = getelementptr %struct.context, ptr %104, i32 0, i32 41
  %106 = load ptr, ptr %105, align 8
  %107 = load i64, ptr %10, align 8
  %108 = getelementptr i32, ptr %106, i64 %107
  %109 = load i32, ptr %108, align 4
  %110 = zext i32 %109 to i64
  %111 = or i64 %110, 2147483648
  call void @lower(ptr noundef %102, i64 noundef %103, i64 noundef %111)
  br label %112

112:
  br label %113

113:
  br label %187

114:
  %115 = load ptr, ptr %4, align 8
  %116 = getelementptr %struct.context, ptr %115, i32 0, i32 39
  %117 = load ptr, ptr %116, align 8
  %118 = load i64, ptr %8, align 8
  %119 = getelementptr i32, ptr %117, i64 %118
  %120 = load i32, ptr %119, align 4
  %121 = zext i32 %120 to i64
  store i64 %121, ptr %11, align 8
  %122 = load i64, ptr %11, align 8
  %123 = load ptr, ptr %4, align 8
  %124 = getelementptr %struct.context, ptr %123, i32 0, i32 41
  %125 = load ptr, ptr %124, align 8
  %126 = load i64, ptr %8, align 8
  %127 = getelementptr i32, ptr %125, i64 %126
  %128 = load i32, ptr %127, align 4
  %129 = zext i32 %128 to i64
  %130 = or i64 %129, 2147483648
  %131 = icmp eq i64 %122, %130
  br i1 %131, label %132, label %161

132:
  %133 = load ptr, ptr %4, align 8
  %134 = getelementptr %struct.context, ptr %133, i32 0, i32 53
  %135 = load i64, ptr %134, align 8
  %136 = add i64 %135, 1
  store i64 %136, ptr %134, align 8
  br label %137

137:
  %138 = load ptr, ptr %4, align 8
  %139 = getelementptr %struct.context, ptr %138, i32 0, i32 53
  %140 = load i64, ptr %139, align 8
  %141 = trunc i64 %140 to i32
  %142 = load ptr, ptr %4, align 8
  %143 = getelementptr %struct.context, ptr %142, i32 0, i32 39
  %144 = load ptr, ptr %143, align 8
  %145 = load ptr, ptr %4, align 8
  %146 = getelementptr %struct.context, ptr %145, i32 0, i32 42
  %147 = load ptr, ptr %146, align 8
  %148 = load ptr, ptr %5, align 8
  %149 = getelementptr %struct.path, ptr %148, i32 0, i32 1
  %150 = load i64, ptr %149, align 8
  %151 = add i64 %150, -1
  store i64 %151, ptr %149, align 8
  %152 = getelementptr i32, ptr %147, i64 %151
  %153 = load i32, ptr %152, align 4
  %154 = zext i32 %153 to i64
  store i64 %154, ptr %12, align 8
  %155 = getelementptr i32, ptr %144, i64 %154
  store i32 %141, ptr %155, align 4
  br label %156

156:
  %157 = load i64, ptr %12, align 8
  %158 = load i64, ptr %8, align 8
  %159 = icmp ne i64 %157, %158
  br i1 %159, label %137, label %160, !llvm.loop !54

160:
  br label %161

161:
  %162 = load i64, ptr %7, align 8
  %163 = load ptr, ptr %5, align 8
  %164 = getelementptr %struct.path, ptr %163, i32 0, i32 2
  store i64 %162, ptr %164, align 8
  %165 = load i64, ptr %7, align 8
  %166 = icmp ne i64 %165, 0
  br i1 %166, label %167, label %187

167:
  %168 = load ptr, ptr %4, align 8
  %169 = getelementptr %struct.context, ptr %168, i32 0, i32 39
  %170 = load ptr, ptr %169, align 8
  %171 = load i64, ptr %8, align 8
  %172 = getelementptr i32, ptr %170, i64 %171
  %173 = load i32, ptr %172, align 4
  %174 = zext i32 %173 to i64
  %175 = icmp uge i64 %174, 2147483648
  br i1 %175, label %176, label %187

176:
  %177 = load ptr, ptr %4, align 8
  %178 = load ptr, ptr %4, align 8
  %179 = getelementptr %struct.context, ptr %178, i32 0, i32 43
  %180 = load ptr, ptr %179, align 8
  %181 = load i64, ptr %7, align 8
  %182 = sub i64 %181, 1
  %183 = getelementptr i32, ptr %180, i64 %182
  %184 = load i32, ptr %183, align 4
  %185 = zext i32 %184 to i64
  %186 = load i64, ptr %11, align 8
  call void @lower(ptr noundef %177, i64 noundef %185, i64 noundef %186)
  br label %187

187:
  ret void
}

define internal void @lower(ptr noundef %0, i64 noundef %1, i64 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load i64, ptr %6, align 8
  %8 = load ptr, ptr %4, align 8
  %9 = getelementptr %struct.context, ptr %8, i32 0, i32 39
  %10 = load ptr, ptr %9, align 8
  %11 = load i64, ptr %5, align 8
  %12 = getelementptr i32, ptr %10, i64 %11
  %13 = load i32, ptr %12, align 4
  %14 = zext i32 %13 to i64
  %15 = icmp ult i64 %7, %14
  br i1 %15, label %16, label %24

16:
  %17 = load i64, ptr %6, align 8
  %18 = trunc i64 %17 to i32
  %19 = load ptr, ptr %4, align 8
  %20 = getelementptr %struct.context, ptr %19, i32 0, i32 39
  %21 = load ptr, ptr %20, align 8
  %22 = load i64, ptr %5, align 8
  %23 = getelementptr i32, ptr %21, i64 %22
  store i32 %18, ptr %23, align 4
  br label %24

24:
  ret void
}

attributes #0 = { nounwind }
attributes #1 = { alwaysinline nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind }
attributes #5 = { nounwind }

!0 = !{i32 7, !"Dwarf Version", i32 4}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 7, !"uwtable", i32 1}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.mustprogress"}
!5 = distinct !{!5, !4}
!6 = distinct !{!6, !4}
!7 = distinct !{!7, !4}
!8 = distinct !{!8, !4}
!9 = distinct !{!9, !4}
!10 = distinct !{!10, !4}
!11 = distinct !{!11, !4}
!12 = distinct !{!12, !4}
!13 = distinct !{!13, !4}
!14 = distinct !{!14, !4}
!15 = distinct !{!15, !4}
!16 = distinct !{!16, !4}
!17 = distinct !{!17, !4}
!18 = distinct !{!18, !4}
!19 = distinct !{!19, !4}
!20 = distinct !{!20, !4}
!21 = distinct !{!21, !4}
!22 = distinct !{!22, !4}
!23 = distinct !{!23, !4}
!24 = distinct !{!24, !4}
!25 = distinct !{!25, !4}
!26 = distinct !{!26, !4}
!27 = distinct !{!27, !4}
!28 = distinct !{!28, !4}
!29 = distinct !{!29, !4}
!30 = distinct !{!30, !4}
!31 = distinct !{!31, !4}
!32 = distinct !{!32, !4}
!33 = distinct !{!33, !4}
!34 = distinct !{!34, !4}
!35 = distinct !{!35, !4}
!36 = distinct !{!36, !4}
!37 = distinct !{!37, !4}
!38 = distinct !{!38, !4}
!39 = distinct !{!39, !4}
!40 = distinct !{!40, !4}
!41 = distinct !{!41, !4}
!42 = distinct !{!42, !4}
!43 = distinct !{!43, !4}
!44 = distinct !{!44, !4}
!45 = distinct !{!45, !4}
!46 = distinct !{!46, !4}
!47 = distinct !{!47, !4}
!48 = distinct !{!48, !4, !49}
!49 = !{!"llvm.loop.unroll.full"}
!50 = distinct !{!50, !4}
!51 = distinct !{!51, !4}
!52 = distinct !{!52, !4, !49}
!53 = distinct !{!53, !4, !49}
!54 = distinct !{!54, !4}
