%struct.context = type { ptr, i64, i64, i64, i64, i64, ptr, ptr, i64, i64, ptr, i64, i64, ptr, i64, ptr, ptr, ptr, ptr, i64, i64, i64, ptr, ptr, ptr, i64, ptr, i64, i64, i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr }
%struct.table = type { ptr, i64 }
%struct.step_lanes = type { i64, i64 }

@words = external constant i64, align 8
@SECRETS = internal constant [8 x i64] [i64 -6884282663029611473, i64 -1800455987208640293, i64 -8161530843051276573, i64 6384245875588680899, i64 2129725606500045391, i64 -1493879189771267739, i64 -7046029254386353131, i64 -4417276706812531889], align 16
@constrained = external constant i64, align 8

define void @note_least(ptr noalias noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5, ptr noundef %6) #0 {
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca ptr, align 8
  %15 = alloca ptr, align 8
  %16 = alloca [4 x i64], align 16
  %17 = alloca i32, align 4
  %18 = alloca i64, align 8
  store ptr %0, ptr %8, align 8
  store i64 %1, ptr %9, align 8
  store i64 %2, ptr %10, align 8
  store i64 %3, ptr %11, align 8
  store i64 %4, ptr %12, align 8
  store i64 %5, ptr %13, align 8
  store ptr %6, ptr %14, align 8
  %19 = load ptr, ptr %8, align 8
  %20 = getelementptr %struct.context, ptr %19, i32 0, i32 37
  %21 = load ptr, ptr %20, align 8
  %22 = load i64, ptr %9, align 8
  %23 = load i64, ptr @words, align 8
  %24 = add i64 5, %23
  %25 = mul i64 %22, %24
  %26 = getelementptr i64, ptr %21, i64 %25
  store ptr %26, ptr %15, align 8
  %27 = load i64, ptr %10, align 8
  store i64 %27, ptr %16, align 8
  %28 = getelementptr inbounds i64, ptr %16, i64 1
  %29 = load i64, ptr %11, align 8
  store i64 %29, ptr %28, align 8
  %30 = getelementptr inbounds i64, ptr %16, i64 2
  %31 = load i64, ptr %12, align 8
  store i64 %31, ptr %30, align 8
  %32 = getelementptr inbounds i64, ptr %16, i64 3
  %33 = load i64, ptr %13, align 8
  store i64 %33, ptr %32, align 8
  %34 = load ptr, ptr %15, align 8
  %35 = getelementptr i64, ptr %34, i64 0
  %36 = load i64, ptr %35, align 8
  %37 = icmp ne i64 %36, 0
  br i1 %37, label %38, label %45

38:
  %39 = getelementptr inbounds [4 x i64], ptr %16, i64 0, i64 0
  %40 = load ptr, ptr %15, align 8
  %41 = getelementptr i64, ptr %40, i64 1
  %42 = call i32 @comes_before(ptr noundef %39, ptr noundef %41, i32 noundef 4)
  %43 = icmp ne i32 %42, 0
  br i1 %43, label %45, label %44

44:
  br label %81

45:
  %46 = load ptr, ptr %15, align 8
  %47 = getelementptr i64, ptr %46, i64 0
  store i64 1, ptr %47, align 8
  store i32 0, ptr %17, align 4
  br label %48

48:
  %49 = load i32, ptr %17, align 4
  %50 = icmp slt i32 %49, 4
  br i1 %50, label %51, label %64

51:
  %52 = load i32, ptr %17, align 4
  %53 = sext i32 %52 to i64
  %54 = getelementptr [4 x i64], ptr %16, i64 0, i64 %53
  %55 = load i64, ptr %54, align 8
  %56 = load ptr, ptr %15, align 8
  %57 = load i32, ptr %17, align 4
  %58 = add i32 1, %57
  %59 = sext i32 %58 to i64
  %60 = getelementptr i64, ptr %56, i64 %59
  store i64 %55, ptr %60, align 8
  br label %61

61:
  %62 = load i32, ptr %17, align 4
  %63 = add i32 %62, 1
  store i32 %63, ptr %17, align 4
  br label %48, !llvm.loop !3

64:
  store i64 0, ptr %18, align 8
  br label %65

65:
  %66 = load i64, ptr %18, align 8
  %67 = load i64, ptr @words, align 8
  %68 = icmp ult i64 %66, %67
  br i1 %68, label %69, label %81

69:
  %70 = load ptr, ptr %14, align 8
  %71 = load i64, ptr %18, align 8
  %72 = getelementptr i64, ptr %70, i64 %71
  %73 = load i64, ptr %72, align 8
  %74 = load ptr, ptr %15, align 8
  %75 = load i64, ptr %18, align 8
  %76 = add i64 5, %75
  %77 = getelementptr i64, ptr %74, i64 %76
  store i64 %73, ptr %77, align 8
  br label %78

78:
  %79 = load i64, ptr %18, align 8
  %80 = add i64 %79, 1
  store i64 %80, ptr %18, align 8
  br label %65, !llvm.loop !5

81:
  ret void
}

define internal i32 @comes_before(ptr noundef %0, ptr noundef %1, i32 noundef %2) #1 {
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i32 %2, ptr %7, align 4
  store i32 0, ptr %8, align 4
  br label %9

9:
  %10 = load i32, ptr %8, align 4
  %11 = load i32, ptr %7, align 4
  %12 = icmp slt i32 %10, %11
  br i1 %12, label %13, label %42

13:
  %14 = load ptr, ptr %5, align 8
  %15 = load i32, ptr %8, align 4
  %16 = sext i32 %15 to i64
  %17 = getelementptr i64, ptr %14, i64 %16
  %18 = load i64, ptr %17, align 8
  %19 = load ptr, ptr %6, align 8
  %20 = load i32, ptr %8, align 4
  %21 = sext i32 %20 to i64
  %22 = getelementptr i64, ptr %19, i64 %21
  %23 = load i64, ptr %22, align 8
  %24 = icmp ne i64 %18, %23
  br i1 %24, label %25, label %38

25:
  %26 = load ptr, ptr %5, align 8
  %27 = load i32, ptr %8, align 4
  %28 = sext i32 %27 to i64
  %29 = getelementptr i64, ptr %26, i64 %28
  %30 = load i64, ptr %29, align 8
  %31 = load ptr, ptr %6, align 8
  %32 = load i32, ptr %8, align 4
  %33 = sext i32 %32 to i64
  %34 = getelementptr i64, ptr %31, i64 %33
  %35 = load i64, ptr %34, align 8
  %36 = icmp ult i64 %30, %35
  %37 = zext i1 %36 to i32
  store i32 %37, ptr %4, align 4
  br label %43

38:
  br label %39

39:
  %40 = load i32, ptr %8, align 4
  %41 = add i32 %40, 1
  store i32 %41, ptr %8, align 4
  br label %9, !llvm.loop !7

42:
  store i32 0, ptr %4, align 4
  br label %43

43:
  %44 = load i32, ptr %4, align 4
  ret i32 %44
}

define void @keep(ptr noalias noundef %0, i64 noundef %1) #2 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca ptr, align 8
  %7 = alloca [2 x i64], align 16
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca %struct.table, align 8
  %12 = alloca ptr, align 8
  %13 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  store i64 0, ptr %5, align 8
  br label %14

14:
  %15 = load i64, ptr %5, align 8
  %16 = load i64, ptr %4, align 8
  %17 = icmp ult i64 %15, %16
  br i1 %17, label %18, label %112

18:
  %19 = load ptr, ptr %3, align 8
  %20 = getelementptr %struct.context, ptr %19, i32 0, i32 7
  %21 = load ptr, ptr %20, align 8
  %22 = load i64, ptr %5, align 8
  %23 = call ptr @entry(ptr noundef %21, i64 noundef %22)
  store ptr %23, ptr %6, align 8
  %24 = load ptr, ptr %6, align 8
  %25 = load i64, ptr @words, align 8
  %26 = getelementptr i64, ptr %24, i64 %25
  %27 = load i64, ptr %26, align 8
  store i64 %27, ptr %7, align 8
  %28 = getelementptr inbounds i64, ptr %7, i64 1
  %29 = load ptr, ptr %6, align 8
  %30 = load i64, ptr @words, align 8
  %31 = add i64 %30, 1
  %32 = getelementptr i64, ptr %29, i64 %31
  %33 = load i64, ptr %32, align 8
  store i64 %33, ptr %28, align 8
  %34 = load ptr, ptr %6, align 8
  %35 = load i64, ptr @words, align 8
  %36 = add i64 %35, 2
  %37 = getelementptr i64, ptr %34, i64 %36
  %38 = load i64, ptr %37, align 8
  store i64 %38, ptr %8, align 8
  %39 = getelementptr [2 x i64], ptr %7, i64 0, i64 0
  %40 = load i64, ptr %39, align 16
  %41 = icmp eq i64 %40, -1
  br i1 %41, label %42, label %43

42:
  br label %109

43:
  %44 = load ptr, ptr %3, align 8
  %45 = call { ptr, i64 } @sent_table(ptr noundef %44)
  %46 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 0
  %47 = extractvalue { ptr, i64 } %45, 0
  store ptr %47, ptr %46, align 8
  %48 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 1
  %49 = extractvalue { ptr, i64 } %45, 1
  store i64 %49, ptr %48, align 8
  %50 = load ptr, ptr %3, align 8
  %51 = getelementptr %struct.context, ptr %50, i32 0, i32 10
  %52 = load ptr, ptr %51, align 8
  %53 = load i64, ptr @words, align 8
  %54 = add i64 %53, 2
  %55 = load ptr, ptr %6, align 8
  %56 = load i64, ptr %8, align 8
  %57 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 0
  %58 = load ptr, ptr %57, align 8
  %59 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 1
  %60 = load i64, ptr %59, align 8
  %61 = call i64 @find_in(ptr %58, i64 %60, ptr noundef %52, i64 noundef %54, ptr noundef %55, i64 noundef %56, ptr noundef %9)
  store i64 %61, ptr %10, align 8
  %62 = load i64, ptr %10, align 8
  %63 = icmp ne i64 %62, 0
  br i1 %63, label %64, label %87

64:
  %65 = load ptr, ptr %3, align 8
  %66 = getelementptr %struct.context, ptr %65, i32 0, i32 10
  %67 = load ptr, ptr %66, align 8
  %68 = load i64, ptr %10, align 8
  %69 = sub i64 %68, 1
  %70 = call ptr @sent_at(ptr noundef %67, i64 noundef %69)
  %71 = load i64, ptr @words, align 8
  %72 = getelementptr i64, ptr %70, i64 %71
  store ptr %72, ptr %12, align 8
  %73 = getelementptr inbounds [2 x i64], ptr %7, i64 0, i64 0
  %74 = load ptr, ptr %12, align 8
  %75 = call i32 @comes_before(ptr noundef %73, ptr noundef %74, i32 noundef 2)
  %76 = icmp ne i32 %75, 0
  br i1 %76, label %77, label %86

77:
  %78 = getelementptr [2 x i64], ptr %7, i64 0, i64 0
  %79 = load i64, ptr %78, align 16
  %80 = load ptr, ptr %12, align 8
  %81 = getelementptr i64, ptr %80, i64 0
  store i64 %79, ptr %81, align 8
  %82 = getelementptr [2 x i64], ptr %7, i64 0, i64 1
  %83 = load i64, ptr %82, align 8
  %84 = load ptr, ptr %12, align 8
  %85 = getelementptr i64, ptr %84, i64 1
  store i64 %83, ptr %85, align 8
  br label %86

86:
  br label %109

87:
  %88 = load ptr, ptr %3, align 8
  %89 = getelementptr %struct.context, ptr %88, i32 0, i32 11
  %90 = load i64, ptr %89, align 8
  store i64 %90, ptr %13, align 8
  %91 = load ptr, ptr %3, align 8
  %92 = getelementptr %struct.context, ptr %91, i32 0, i32 10
  %93 = load ptr, ptr %92, align 8
  %94 = load i64, ptr %13, align 8
  %95 = call ptr @sent_at(ptr noundef %93, i64 noundef %94)
  %96 = load ptr, ptr %6, align 8
  call void @copy(ptr noundef %95, ptr noundef %96, i64 noundef 2)
  %97 = load i64, ptr %8, align 8
  %98 = load i64, ptr %13, align 8
  %99 = call i64 @slot_of(i64 noundef %97, i64 noundef %98)
  %100 = load ptr, ptr %3, align 8
  %101 = getelementptr %struct.context, ptr %100, i32 0, i32 13
  %102 = load ptr, ptr %101, align 8
  %103 = load i64, ptr %9, align 8
  %104 = getelementptr i64, ptr %102, i64 %103
  store i64 %99, ptr %104, align 8
  %105 = load i64, ptr %13, align 8
  %106 = add i64 %105, 1
  %107 = load ptr, ptr %3, align 8
  %108 = getelementptr %struct.context, ptr %107, i32 0, i32 11
  store i64 %106, ptr %108, align 8
  br label %109

109:
  %110 = load i64, ptr %5, align 8
  %111 = add i64 %110, 1
  store i64 %111, ptr %5, align 8
  br label %14, !llvm.loop !8

112:
  ret void
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

define internal i64 @find_in(ptr %0, i64 %1, ptr noundef %2, i64 noundef %3, ptr noundef %4, i64 noundef %5, ptr noundef %6) #1 {
  %8 = alloca i64, align 8
  %9 = alloca %struct.table, align 8
  %10 = alloca ptr, align 8
  %11 = alloca i64, align 8
  %12 = alloca ptr, align 8
  %13 = alloca i64, align 8
  %14 = alloca ptr, align 8
  %15 = alloca i64, align 8
  %16 = alloca i64, align 8
  %17 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 0
  store ptr %0, ptr %17, align 8
  %18 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 1
  store i64 %1, ptr %18, align 8
  store ptr %2, ptr %10, align 8
  store i64 %3, ptr %11, align 8
  store ptr %4, ptr %12, align 8
  store i64 %5, ptr %13, align 8
  store ptr %6, ptr %14, align 8
  %19 = load i64, ptr %13, align 8
  %20 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 0
  %21 = load ptr, ptr %20, align 8
  %22 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 1
  %23 = load i64, ptr %22, align 8
  %24 = call i64 @home(ptr %21, i64 %23, i64 noundef %19)
  store i64 %24, ptr %15, align 8
  br label %25

25:
  %26 = getelementptr %struct.table, ptr %9, i32 0, i32 0
  %27 = load ptr, ptr %26, align 8
  %28 = load i64, ptr %15, align 8
  %29 = getelementptr i64, ptr %27, i64 %28
  %30 = load i64, ptr %29, align 8
  store i64 %30, ptr %16, align 8
  %31 = load i64, ptr %16, align 8
  %32 = icmp ne i64 %31, 0
  br i1 %32, label %36, label %33

33:
  %34 = load i64, ptr %15, align 8
  %35 = load ptr, ptr %14, align 8
  store i64 %34, ptr %35, align 8
  store i64 0, ptr %8, align 8
  br label %65

36:
  %37 = load i64, ptr %16, align 8
  %38 = lshr i64 %37, 32
  %39 = load i64, ptr %13, align 8
  %40 = lshr i64 %39, 32
  %41 = icmp ne i64 %38, %40
  br i1 %41, label %42, label %43

42:
  br label %58

43:
  %44 = load ptr, ptr %10, align 8
  %45 = load i64, ptr %16, align 8
  %46 = and i64 %45, 4294967295
  %47 = sub i64 %46, 1
  %48 = load i64, ptr %11, align 8
  %49 = mul i64 %47, %48
  %50 = getelementptr i64, ptr %44, i64 %49
  %51 = load ptr, ptr %12, align 8
  %52 = call i64 @differs(ptr noundef %50, ptr noundef %51)
  %53 = icmp ne i64 %52, 0
  br i1 %53, label %57, label %54

54:
  %55 = load i64, ptr %16, align 8
  %56 = and i64 %55, 4294967295
  store i64 %56, ptr %8, align 8
  br label %65

57:
  br label %58

58:
  %59 = load i64, ptr %15, align 8
  %60 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 0
  %61 = load ptr, ptr %60, align 8
  %62 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 1
  %63 = load i64, ptr %62, align 8
  %64 = call i64 @after(ptr %61, i64 %63, i64 noundef %59, i64 noundef 1)
  store i64 %64, ptr %15, align 8
  br label %25

65:
  %66 = load i64, ptr %8, align 8
  ret i64 %66
}

define internal { ptr, i64 } @sent_table(ptr noundef %0) #1 {
  %2 = alloca %struct.table, align 8
  %3 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  %4 = getelementptr inbounds nuw %struct.table, ptr %2, i32 0, i32 0
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr %struct.context, ptr %5, i32 0, i32 13
  %7 = load ptr, ptr %6, align 8
  store ptr %7, ptr %4, align 8
  %8 = getelementptr inbounds nuw %struct.table, ptr %2, i32 0, i32 1
  %9 = load ptr, ptr %3, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 14
  %11 = load i64, ptr %10, align 8
  store i64 %11, ptr %8, align 8
  %12 = load { ptr, i64 }, ptr %2, align 8
  ret { ptr, i64 } %12
}

define internal ptr @sent_at(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = load i64, ptr %4, align 8
  %7 = load i64, ptr @words, align 8
  %8 = add i64 %7, 2
  %9 = mul i64 %6, %8
  %10 = getelementptr i64, ptr %5, i64 %9
  ret ptr %10
}

define internal void @copy(ptr noundef %0, ptr noundef %1, i64 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  store i64 0, ptr %7, align 8
  br label %9

9:
  %10 = load i64, ptr %7, align 8
  %11 = load i64, ptr @words, align 8
  %12 = icmp ult i64 %10, %11
  br i1 %12, label %13, label %24

13:
  %14 = load ptr, ptr %5, align 8
  %15 = load i64, ptr %7, align 8
  %16 = getelementptr i64, ptr %14, i64 %15
  %17 = load i64, ptr %16, align 8
  %18 = load ptr, ptr %4, align 8
  %19 = load i64, ptr %7, align 8
  %20 = getelementptr i64, ptr %18, i64 %19
  store i64 %17, ptr %20, align 8
  br label %21

21:
  %22 = load i64, ptr %7, align 8
  %23 = add i64 %22, 1
  store i64 %23, ptr %7, align 8
  br label %9, !llvm.loop !9

24:
  store i64 0, ptr %8, align 8
  br label %25

25:
  %26 = load i64, ptr %8, align 8
  %27 = load i64, ptr %6, align 8
  %28 = icmp ult i64 %26, %27
  br i1 %28, label %29, label %44

29:
  %30 = load ptr, ptr %5, align 8
  %31 = load i64, ptr @words, align 8
  %32 = load i64, ptr %8, align 8
  %33 = add i64 %31, %32
  %34 = getelementptr i64, ptr %30, i64 %33
  %35 = load i64, ptr %34, align 8
  %36 = load ptr, ptr %4, align 8
  %37 = load i64, ptr @words, align 8
  %38 = load i64, ptr %8, align 8
  %39 = add i64 %37, %38
  %40 = getelementptr i64, ptr %36, i64 %39
  store i64 %35, ptr %40, align 8
  br label %41

41:
  %42 = load i64, ptr %8, align 8
  %43 = add i64 %42, 1
  store i64 %43, ptr %8, align 8
  br label %25, !llvm.loop !10

44:
  ret void
}

define internal i64 @slot_of(i64 noundef %0, i64 noundef %1) #1 {
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  store i64 %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load i64, ptr %3, align 8
  %6 = and i64 %5, -4294967296
  %7 = load i64, ptr %4, align 8
  %8 = add i64 %7, 1
  %9 = or i64 %6, %8
  ret i64 %9
}

define void @expand(ptr noalias noundef %0) #2 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  br label %9

9:
  %10 = load ptr, ptr %2, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 1
  %12 = load i64, ptr %11, align 8
  %13 = load ptr, ptr %2, align 8
  %14 = getelementptr %struct.context, ptr %13, i32 0, i32 2
  %15 = load i64, ptr %14, align 8
  %16 = icmp ult i64 %12, %15
  br i1 %16, label %17, label %29

17:
  %18 = load ptr, ptr %2, align 8
  %19 = getelementptr %struct.context, ptr %18, i32 0, i32 11
  %20 = load i64, ptr %19, align 8
  %21 = load ptr, ptr %2, align 8
  %22 = getelementptr %struct.context, ptr %21, i32 0, i32 8
  %23 = load i64, ptr %22, align 8
  %24 = add i64 %20, %23
  %25 = load ptr, ptr %2, align 8
  %26 = getelementptr %struct.context, ptr %25, i32 0, i32 12
  %27 = load i64, ptr %26, align 8
  %28 = icmp ule i64 %24, %27
  br label %29

29:
  %30 = phi i1 [ false, %9 ], [ %28, %17 ]
  br i1 %30, label %31, label %128

31:
  store i64 0, ptr %3, align 8
  %32 = load ptr, ptr %2, align 8
  %33 = getelementptr %struct.context, ptr %32, i32 0, i32 8
  %34 = load i64, ptr %33, align 8
  %35 = load ptr, ptr %2, align 8
  %36 = getelementptr %struct.context, ptr %35, i32 0, i32 9
  %37 = load i64, ptr %36, align 8
  %38 = sub i64 %34, %37
  store i64 %38, ptr %4, align 8
  br label %39

39:
  %40 = load ptr, ptr %2, align 8
  %41 = getelementptr %struct.context, ptr %40, i32 0, i32 1
  %42 = load i64, ptr %41, align 8
  %43 = load ptr, ptr %2, align 8
  %44 = getelementptr %struct.context, ptr %43, i32 0, i32 2
  %45 = load i64, ptr %44, align 8
  %46 = icmp ult i64 %42, %45
  br i1 %46, label %47, label %51

47:
  %48 = load i64, ptr %3, align 8
  %49 = load i64, ptr %4, align 8
  %50 = icmp ule i64 %48, %49
  br label %51

51:
  %52 = phi i1 [ false, %39 ], [ %50, %47 ]
  br i1 %52, label %53, label %125

53:
  %54 = load ptr, ptr %2, align 8
  %55 = getelementptr %struct.context, ptr %54, i32 0, i32 0
  %56 = load ptr, ptr %55, align 8
  %57 = load ptr, ptr %2, align 8
  %58 = getelementptr %struct.context, ptr %57, i32 0, i32 1
  %59 = load i64, ptr %58, align 8
  %60 = load i64, ptr @words, align 8
  %61 = mul i64 %59, %60
  %62 = getelementptr i64, ptr %56, i64 %61
  store ptr %62, ptr %5, align 8
  %63 = load ptr, ptr %5, align 8
  %64 = call i64 @hash_of(ptr noundef %63)
  store i64 %64, ptr %6, align 8
  %65 = load ptr, ptr %2, align 8
  %66 = load ptr, ptr %5, align 8
  %67 = call i64 @owner(ptr noundef %65, ptr noundef %66)
  %68 = load ptr, ptr %2, align 8
  %69 = getelementptr %struct.context, ptr %68, i32 0, i32 4
  %70 = load i64, ptr %69, align 8
  %71 = icmp ne i64 %67, %70
  br i1 %71, label %72, label %73

72:
  br label %120

73:
  %74 = load ptr, ptr %2, align 8
  %75 = getelementptr %struct.context, ptr %74, i32 0, i32 27
  %76 = load i64, ptr %75, align 8
  %77 = add i64 %76, 1
  store i64 %77, ptr %75, align 8
  %78 = load ptr, ptr %2, align 8
  %79 = getelementptr %struct.context, ptr %78, i32 0, i32 38
  %80 = load ptr, ptr %79, align 8
  %81 = load ptr, ptr %5, align 8
  %82 = load ptr, ptr %2, align 8
  %83 = getelementptr %struct.context, ptr %82, i32 0, i32 7
  %84 = load ptr, ptr %83, align 8
  %85 = load i64, ptr %3, align 8
  %86 = call ptr @entry(ptr noundef %84, i64 noundef %85)
  %87 = load ptr, ptr %2, align 8
  %88 = getelementptr %struct.context, ptr %87, i32 0, i32 3
  %89 = load i64, ptr %88, align 8
  %90 = call i64 %80(ptr noundef %81, ptr noundef %86, i64 noundef %89)
  store i64 %90, ptr %7, align 8
  %91 = load i64, ptr %3, align 8
  %92 = load i64, ptr %7, align 8
  %93 = add i64 %91, %92
  store i64 %93, ptr %8, align 8
  %94 = load i64, ptr %7, align 8
  %95 = icmp ne i64 %94, 0
  %96 = xor i1 %95, true
  %97 = zext i1 %96 to i32
  %98 = sext i32 %97 to i64
  %99 = load ptr, ptr %2, align 8
  %100 = getelementptr %struct.context, ptr %99, i32 0, i32 28
  %101 = load i64, ptr %100, align 8
  %102 = add i64 %101, %98
  store i64 %102, ptr %100, align 8
  br label %103

103:
  %104 = load i64, ptr %3, align 8
  %105 = load i64, ptr %8, align 8
  %106 = icmp ult i64 %104, %105
  br i1 %106, label %107, label %119

107:
  %108 = load ptr, ptr %2, align 8
  %109 = load ptr, ptr %5, align 8
  %110 = load i64, ptr %6, align 8
  %111 = load ptr, ptr %2, align 8
  %112 = getelementptr %struct.context, ptr %111, i32 0, i32 7
  %113 = load ptr, ptr %112, align 8
  %114 = load i64, ptr %3, align 8
  %115 = call ptr @entry(ptr noundef %113, i64 noundef %114)
  call void @take_step(ptr noundef %108, ptr noundef %109, i64 noundef %110, ptr noundef %115)
  br label %116

116:
  %117 = load i64, ptr %3, align 8
  %118 = add i64 %117, 1
  store i64 %118, ptr %3, align 8
  br label %103, !llvm.loop !11

119:
  br label %120

120:
  %121 = load ptr, ptr %2, align 8
  %122 = getelementptr %struct.context, ptr %121, i32 0, i32 1
  %123 = load i64, ptr %122, align 8
  %124 = add i64 %123, 1
  store i64 %124, ptr %122, align 8
  br label %39, !llvm.loop !12

125:
  %126 = load ptr, ptr %2, align 8
  %127 = load i64, ptr %3, align 8
  call void @keep(ptr noundef %126, i64 noundef %127)
  br label %9, !llvm.loop !13

128:
  ret void
}

define internal i64 @hash_of(ptr noundef %0) #1 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = call i64 @hash_bits(ptr noundef %3, ptr noundef null, i32 noundef 0)
  ret i64 %4
}

define internal i64 @owner(ptr noundef %0, ptr noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %5 = load ptr, ptr %4, align 8
  %6 = load ptr, ptr %3, align 8
  %7 = getelementptr %struct.context, ptr %6, i32 0, i32 6
  %8 = load ptr, ptr %7, align 8
  %9 = call i64 @hash_bits(ptr noundef %5, ptr noundef %8, i32 noundef 0)
  %10 = load ptr, ptr %3, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 5
  %12 = load i64, ptr %11, align 8
  %13 = call i64 @lower_half(i64 noundef %9, i64 noundef %12)
  ret i64 %13
}

define internal void @take_step(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca %struct.step_lanes, align 8
  %15 = alloca %struct.table, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store ptr %3, ptr %8, align 8
  %16 = load ptr, ptr %8, align 8
  %17 = load i64, ptr @words, align 8
  %18 = getelementptr i64, ptr %16, i64 %17
  %19 = load i64, ptr %18, align 8
  store i64 %19, ptr %9, align 8
  %20 = load i64, ptr %9, align 8
  %21 = and i64 %20, 65535
  store i64 %21, ptr %10, align 8
  %22 = load ptr, ptr %8, align 8
  %23 = load i64, ptr @words, align 8
  %24 = getelementptr i64, ptr %22, i64 %23
  store i64 -1, ptr %24, align 8
  %25 = load i64, ptr %9, align 8
  %26 = icmp slt i64 %25, 0
  br i1 %26, label %27, label %32

27:
  %28 = load ptr, ptr %5, align 8
  %29 = load i64, ptr %10, align 8
  %30 = load i64, ptr %7, align 8
  %31 = load ptr, ptr %6, align 8
  call void @note_least(ptr noundef %28, i64 noundef 46, i64 noundef 0, i64 noundef %29, i64 noundef %30, i64 noundef 0, ptr noundef %31)
  br label %155

32:
  %33 = load i64, ptr %9, align 8
  %34 = icmp ugt i64 %33, 65535
  br i1 %34, label %35, label %42

35:
  %36 = load ptr, ptr %5, align 8
  %37 = load i64, ptr %9, align 8
  %38 = lshr i64 %37, 16
  %39 = load i64, ptr %10, align 8
  %40 = load i64, ptr %7, align 8
  %41 = load ptr, ptr %6, align 8
  call void @note_all(ptr noundef %36, i64 noundef %38, i64 noundef 1, i64 noundef %39, i64 noundef %40, i64 noundef 0, ptr noundef %41)
  br label %42

42:
  %43 = load ptr, ptr %5, align 8
  %44 = getelementptr %struct.context, ptr %43, i32 0, i32 34
  %45 = load ptr, ptr %44, align 8
  %46 = load i64, ptr %10, align 8
  %47 = getelementptr i64, ptr %45, i64 %46
  %48 = load i64, ptr %47, align 8
  %49 = add i64 %48, 1
  store i64 %49, ptr %47, align 8
  %50 = load ptr, ptr %8, align 8
  %51 = call i64 @hash_of(ptr noundef %50)
  store i64 %51, ptr %11, align 8
  %52 = load i64, ptr @constrained, align 8
  %53 = icmp ne i64 %52, 0
  br i1 %53, label %54, label %100

54:
  %55 = load ptr, ptr %5, align 8
  %56 = getelementptr %struct.context, ptr %55, i32 0, i32 40
  %57 = load ptr, ptr %56, align 8
  %58 = load ptr, ptr %8, align 8
  %59 = call i64 %57(ptr noundef %58)
  store i64 %59, ptr %12, align 8
  %60 = load i64, ptr %12, align 8
  %61 = icmp eq i64 %60, 2
  br i1 %61, label %62, label %67

62:
  %63 = load ptr, ptr %5, align 8
  %64 = load i64, ptr %10, align 8
  %65 = load i64, ptr %7, align 8
  %66 = load ptr, ptr %6, align 8
  call void @note_least(ptr noundef %63, i64 noundef 46, i64 noundef 1, i64 noundef %64, i64 noundef %65, i64 noundef 0, ptr noundef %66)
  br label %95

67:
  %68 = load i64, ptr %12, align 8
  %69 = icmp ne i64 %68, 1
  br i1 %69, label %70, label %94

70:
  %71 = load ptr, ptr %5, align 8
  %72 = getelementptr %struct.context, ptr %71, i32 0, i32 29
  %73 = load i64, ptr %72, align 8
  %74 = add i64 %73, 1
  store i64 %74, ptr %72, align 8
  %75 = load ptr, ptr %5, align 8
  %76 = getelementptr %struct.context, ptr %75, i32 0, i32 39
  %77 = load ptr, ptr %76, align 8
  %78 = load ptr, ptr %8, align 8
  %79 = load ptr, ptr %5, align 8
  %80 = getelementptr %struct.context, ptr %79, i32 0, i32 3
  %81 = load i64, ptr %80, align 8
  %82 = call i64 %77(ptr noundef %78, i64 noundef %81)
  store i64 %82, ptr %13, align 8
  %83 = load i64, ptr %13, align 8
  %84 = icmp ne i64 %83, 0
  br i1 %84, label %85, label %93

85:
  %86 = load ptr, ptr %5, align 8
  %87 = load i64, ptr %13, align 8
  %88 = load i64, ptr %11, align 8
  %89 = load i64, ptr %10, align 8
  %90 = add i64 %89, 1
  %91 = load i64, ptr %7, align 8
  %92 = load ptr, ptr %6, align 8
  call void @note_all(ptr noundef %86, i64 noundef %87, i64 noundef 2, i64 noundef %88, i64 noundef %90, i64 noundef %91, ptr noundef %92)
  br label %93

93:
  br label %94

94:
  br label %95

95:
  %96 = load i64, ptr %12, align 8
  %97 = icmp ne i64 %96, 1
  br i1 %97, label %98, label %99

98:
  br label %155

99:
  br label %100

100:
  %101 = load ptr, ptr %5, align 8
  %102 = getelementptr %struct.context, ptr %101, i32 0, i32 36
  %103 = load ptr, ptr %102, align 8
  %104 = load i64, ptr %10, align 8
  %105 = getelementptr i64, ptr %103, i64 %104
  %106 = load i64, ptr %105, align 8
  %107 = load i64, ptr %7, align 8
  %108 = load i64, ptr %11, align 8
  %109 = call { i64, i64 } @step_lanes(i64 noundef %106, i64 noundef %107, i64 noundef %108)
  %110 = getelementptr inbounds nuw { i64, i64 }, ptr %14, i32 0, i32 0
  %111 = extractvalue { i64, i64 } %109, 0
  store i64 %111, ptr %110, align 8
  %112 = getelementptr inbounds nuw { i64, i64 }, ptr %14, i32 0, i32 1
  %113 = extractvalue { i64, i64 } %109, 1
  store i64 %113, ptr %112, align 8
  %114 = getelementptr %struct.step_lanes, ptr %14, i32 0, i32 0
  %115 = load i64, ptr %114, align 8
  %116 = load ptr, ptr %5, align 8
  %117 = getelementptr %struct.context, ptr %116, i32 0, i32 30
  %118 = load i64, ptr %117, align 8
  %119 = add i64 %118, %115
  store i64 %119, ptr %117, align 8
  %120 = getelementptr %struct.step_lanes, ptr %14, i32 0, i32 1
  %121 = load i64, ptr %120, align 8
  %122 = load ptr, ptr %5, align 8
  %123 = getelementptr %struct.context, ptr %122, i32 0, i32 31
  %124 = load i64, ptr %123, align 8
  %125 = add i64 %124, %121
  store i64 %125, ptr %123, align 8
  %126 = load i64, ptr %10, align 8
  %127 = load ptr, ptr %8, align 8
  %128 = load i64, ptr @words, align 8
  %129 = getelementptr i64, ptr %127, i64 %128
  store i64 %126, ptr %129, align 8
  %130 = load i64, ptr %7, align 8
  %131 = load ptr, ptr %8, align 8
  %132 = load i64, ptr @words, align 8
  %133 = add i64 %132, 1
  %134 = getelementptr i64, ptr %131, i64 %133
  store i64 %130, ptr %134, align 8
  %135 = load i64, ptr %11, align 8
  %136 = load ptr, ptr %8, align 8
  %137 = load i64, ptr @words, align 8
  %138 = add i64 %137, 2
  %139 = getelementptr i64, ptr %136, i64 %138
  store i64 %135, ptr %139, align 8
  %140 = load ptr, ptr %5, align 8
  %141 = call { ptr, i64 } @sent_table(ptr noundef %140)
  %142 = getelementptr inbounds nuw { ptr, i64 }, ptr %15, i32 0, i32 0
  %143 = extractvalue { ptr, i64 } %141, 0
  store ptr %143, ptr %142, align 8
  %144 = getelementptr inbounds nuw { ptr, i64 }, ptr %15, i32 0, i32 1
  %145 = extractvalue { ptr, i64 } %141, 1
  store i64 %145, ptr %144, align 8
  %146 = getelementptr %struct.table, ptr %15, i32 0, i32 0
  %147 = load ptr, ptr %146, align 8
  %148 = load i64, ptr %11, align 8
  %149 = getelementptr inbounds nuw { ptr, i64 }, ptr %15, i32 0, i32 0
  %150 = load ptr, ptr %149, align 8
  %151 = getelementptr inbounds nuw { ptr, i64 }, ptr %15, i32 0, i32 1
  %152 = load i64, ptr %151, align 8
  %153 = call i64 @home(ptr %150, i64 %152, i64 noundef %148)
  %154 = getelementptr i64, ptr %147, i64 %153
  call void @prefetch(ptr noundef %154)
  br label %155

155:
  ret void
}

define void @count_owners(ptr noalias noundef %0) #2 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  store i64 0, ptr %3, align 8
  br label %4

4:
  %5 = load i64, ptr %3, align 8
  %6 = load ptr, ptr %2, align 8
  %7 = getelementptr %struct.context, ptr %6, i32 0, i32 11
  %8 = load i64, ptr %7, align 8
  %9 = icmp ult i64 %5, %8
  br i1 %9, label %10, label %27

10:
  %11 = load ptr, ptr %2, align 8
  %12 = getelementptr %struct.context, ptr %11, i32 0, i32 16
  %13 = load ptr, ptr %12, align 8
  %14 = load ptr, ptr %2, align 8
  %15 = load ptr, ptr %2, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 10
  %17 = load ptr, ptr %16, align 8
  %18 = load i64, ptr %3, align 8
  %19 = call ptr @sent_at(ptr noundef %17, i64 noundef %18)
  %20 = call i64 @owner(ptr noundef %14, ptr noundef %19)
  %21 = getelementptr i64, ptr %13, i64 %20
  %22 = load i64, ptr %21, align 8
  %23 = add i64 %22, 1
  store i64 %23, ptr %21, align 8
  br label %24

24:
  %25 = load i64, ptr %3, align 8
  %26 = add i64 %25, 1
  store i64 %26, ptr %3, align 8
  br label %4, !llvm.loop !14

27:
  ret void
}

define void @scatter(ptr noalias noundef %0) #2 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  store i64 0, ptr %3, align 8
  br label %7

7:
  %8 = load i64, ptr %3, align 8
  %9 = load ptr, ptr %2, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 11
  %11 = load i64, ptr %10, align 8
  %12 = icmp ult i64 %8, %11
  br i1 %12, label %13, label %44

13:
  %14 = load ptr, ptr %2, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 10
  %16 = load ptr, ptr %15, align 8
  %17 = load i64, ptr %3, align 8
  %18 = call ptr @sent_at(ptr noundef %16, i64 noundef %17)
  store ptr %18, ptr %4, align 8
  %19 = load ptr, ptr %2, align 8
  %20 = load ptr, ptr %4, align 8
  %21 = call i64 @owner(ptr noundef %19, ptr noundef %20)
  store i64 %21, ptr %5, align 8
  %22 = load ptr, ptr %2, align 8
  %23 = getelementptr %struct.context, ptr %22, i32 0, i32 16
  %24 = load ptr, ptr %23, align 8
  %25 = load i64, ptr %5, align 8
  %26 = getelementptr i64, ptr %24, i64 %25
  %27 = load i64, ptr %26, align 8
  store i64 %27, ptr %6, align 8
  %28 = load ptr, ptr %2, align 8
  %29 = getelementptr %struct.context, ptr %28, i32 0, i32 15
  %30 = load ptr, ptr %29, align 8
  %31 = load i64, ptr %6, align 8
  %32 = call ptr @sent_at(ptr noundef %30, i64 noundef %31)
  %33 = load ptr, ptr %4, align 8
  call void @copy(ptr noundef %32, ptr noundef %33, i64 noundef 2)
  %34 = load i64, ptr %6, align 8
  %35 = add i64 %34, 1
  %36 = load ptr, ptr %2, align 8
  %37 = getelementptr %struct.context, ptr %36, i32 0, i32 16
  %38 = load ptr, ptr %37, align 8
  %39 = load i64, ptr %5, align 8
  %40 = getelementptr i64, ptr %38, i64 %39
  store i64 %35, ptr %40, align 8
  br label %41

41:
  %42 = load i64, ptr %3, align 8
  %43 = add i64 %42, 1
  store i64 %43, ptr %3, align 8
  br label %7, !llvm.loop !15

44:
  ret void
}

define void @insert(ptr noalias noundef %0, ptr noalias noundef %1, i64 noundef %2) #2 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca ptr, align 8
  %12 = alloca [2 x i64], align 16
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  %15 = alloca i64, align 8
  %16 = alloca %struct.table, align 8
  %17 = alloca i64, align 8
  %18 = alloca [2 x i64], align 16
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  store i64 0, ptr %7, align 8
  br label %19

19:
  %20 = load i64, ptr %7, align 8
  %21 = load i64, ptr %6, align 8
  %22 = icmp ult i64 %20, %21
  br i1 %22, label %23, label %145

23:
  %24 = load i64, ptr %6, align 8
  %25 = load i64, ptr %7, align 8
  %26 = sub i64 %24, %25
  %27 = call i64 @least(i64 noundef %26, i64 noundef 64)
  store i64 %27, ptr %8, align 8
  %28 = load ptr, ptr %5, align 8
  %29 = load i64, ptr %7, align 8
  %30 = call ptr @sent_at(ptr noundef %28, i64 noundef %29)
  store ptr %30, ptr %9, align 8
  %31 = load ptr, ptr %4, align 8
  %32 = load ptr, ptr %9, align 8
  %33 = load i64, ptr @words, align 8
  %34 = add i64 %33, 2
  %35 = load i64, ptr %8, align 8
  call void @ask_for(ptr noundef %31, ptr noundef %32, i64 noundef %34, i64 noundef %35)
  store i64 0, ptr %10, align 8
  br label %36

36:
  %37 = load i64, ptr %10, align 8
  %38 = load i64, ptr %8, align 8
  %39 = icmp ult i64 %37, %38
  br i1 %39, label %40, label %141

40:
  %41 = load ptr, ptr %9, align 8
  %42 = load i64, ptr %10, align 8
  %43 = call ptr @sent_at(ptr noundef %41, i64 noundef %42)
  store ptr %43, ptr %11, align 8
  %44 = load ptr, ptr %11, align 8
  %45 = load i64, ptr @words, align 8
  %46 = getelementptr i64, ptr %44, i64 %45
  %47 = load i64, ptr %46, align 8
  store i64 %47, ptr %12, align 8
  %48 = getelementptr inbounds i64, ptr %12, i64 1
  %49 = load ptr, ptr %11, align 8
  %50 = load i64, ptr @words, align 8
  %51 = add i64 %50, 1
  %52 = getelementptr i64, ptr %49, i64 %51
  %53 = load i64, ptr %52, align 8
  store i64 %53, ptr %48, align 8
  %54 = load ptr, ptr %4, align 8
  %55 = getelementptr %struct.context, ptr %54, i32 0, i32 21
  %56 = load i64, ptr %55, align 8
  store i64 %56, ptr %13, align 8
  %57 = load ptr, ptr %4, align 8
  %58 = call { ptr, i64 } @own_table(ptr noundef %57)
  %59 = getelementptr inbounds nuw { ptr, i64 }, ptr %16, i32 0, i32 0
  %60 = extractvalue { ptr, i64 } %58, 0
  store ptr %60, ptr %59, align 8
  %61 = getelementptr inbounds nuw { ptr, i64 }, ptr %16, i32 0, i32 1
  %62 = extractvalue { ptr, i64 } %58, 1
  store i64 %62, ptr %61, align 8
  %63 = load ptr, ptr %4, align 8
  %64 = getelementptr %struct.context, ptr %63, i32 0, i32 17
  %65 = load ptr, ptr %64, align 8
  %66 = load i64, ptr @words, align 8
  %67 = load ptr, ptr %11, align 8
  %68 = load ptr, ptr %4, align 8
  %69 = getelementptr %struct.context, ptr %68, i32 0, i32 24
  %70 = load ptr, ptr %69, align 8
  %71 = load i64, ptr %10, align 8
  %72 = getelementptr i64, ptr %70, i64 %71
  %73 = load i64, ptr %72, align 8
  %74 = getelementptr inbounds nuw { ptr, i64 }, ptr %16, i32 0, i32 0
  %75 = load ptr, ptr %74, align 8
  %76 = getelementptr inbounds nuw { ptr, i64 }, ptr %16, i32 0, i32 1
  %77 = load i64, ptr %76, align 8
  %78 = call i64 @find_in(ptr %75, i64 %77, ptr noundef %65, i64 noundef %66, ptr noundef %67, i64 noundef %73, ptr noundef %14)
  store i64 %78, ptr %15, align 8
  %79 = load i64, ptr %15, align 8
  %80 = icmp ne i64 %79, 0
  br i1 %80, label %101, label %81

81:
  %82 = load ptr, ptr %4, align 8
  %83 = load ptr, ptr %4, align 8
  %84 = getelementptr %struct.context, ptr %83, i32 0, i32 20
  %85 = load i64, ptr %84, align 8
  %86 = load i64, ptr %13, align 8
  %87 = sub i64 %85, %86
  %88 = getelementptr [2 x i64], ptr %12, i64 0, i64 0
  %89 = load i64, ptr %88, align 16
  %90 = getelementptr [2 x i64], ptr %12, i64 0, i64 1
  %91 = load i64, ptr %90, align 8
  call void @reached(ptr noundef %82, i64 noundef %87, i64 noundef %89, i64 noundef %91)
  %92 = load ptr, ptr %4, align 8
  %93 = load ptr, ptr %11, align 8
  %94 = load ptr, ptr %4, align 8
  %95 = getelementptr %struct.context, ptr %94, i32 0, i32 24
  %96 = load ptr, ptr %95, align 8
  %97 = load i64, ptr %10, align 8
  %98 = getelementptr i64, ptr %96, i64 %97
  %99 = load i64, ptr %98, align 8
  %100 = load i64, ptr %14, align 8
  call void @append(ptr noundef %92, ptr noundef %93, i64 noundef %99, i64 noundef %100)
  br label %137

101:
  %102 = load i64, ptr %15, align 8
  %103 = load i64, ptr %13, align 8
  %104 = icmp ugt i64 %102, %103
  br i1 %104, label %105, label %136

105:
  %106 = load i64, ptr %15, align 8
  %107 = sub i64 %106, 1
  %108 = load i64, ptr %13, align 8
  %109 = sub i64 %107, %108
  store i64 %109, ptr %17, align 8
  %110 = load ptr, ptr %4, align 8
  %111 = getelementptr %struct.context, ptr %110, i32 0, i32 23
  %112 = load ptr, ptr %111, align 8
  %113 = load i64, ptr %17, align 8
  %114 = getelementptr i16, ptr %112, i64 %113
  %115 = load i16, ptr %114, align 2
  %116 = zext i16 %115 to i64
  store i64 %116, ptr %18, align 8
  %117 = getelementptr inbounds i64, ptr %18, i64 1
  %118 = load ptr, ptr %4, align 8
  %119 = getelementptr %struct.context, ptr %118, i32 0, i32 22
  %120 = load ptr, ptr %119, align 8
  %121 = load i64, ptr %17, align 8
  %122 = getelementptr i64, ptr %120, i64 %121
  %123 = load i64, ptr %122, align 8
  store i64 %123, ptr %117, align 8
  %124 = getelementptr inbounds [2 x i64], ptr %12, i64 0, i64 0
  %125 = getelementptr inbounds [2 x i64], ptr %18, i64 0, i64 0
  %126 = call i32 @comes_before(ptr noundef %124, ptr noundef %125, i32 noundef 2)
  %127 = icmp ne i32 %126, 0
  br i1 %127, label %128, label %135

128:
  %129 = load ptr, ptr %4, align 8
  %130 = load i64, ptr %17, align 8
  %131 = getelementptr [2 x i64], ptr %12, i64 0, i64 0
  %132 = load i64, ptr %131, align 16
  %133 = getelementptr [2 x i64], ptr %12, i64 0, i64 1
  %134 = load i64, ptr %133, align 8
  call void @reached(ptr noundef %129, i64 noundef %130, i64 noundef %132, i64 noundef %134)
  br label %135

135:
  br label %136

136:
  br label %137

137:
  br label %138

138:
  %139 = load i64, ptr %10, align 8
  %140 = add i64 %139, 1
  store i64 %140, ptr %10, align 8
  br label %36, !llvm.loop !16

141:
  br label %142

142:
  %143 = load i64, ptr %7, align 8
  %144 = add i64 %143, 64
  store i64 %144, ptr %7, align 8
  br label %19, !llvm.loop !17

145:
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

define internal void @ask_for(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca %struct.table, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca ptr, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i64 %3, ptr %8, align 8
  %15 = load ptr, ptr %5, align 8
  %16 = call { ptr, i64 } @own_table(ptr noundef %15)
  %17 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 0
  %18 = extractvalue { ptr, i64 } %16, 0
  store ptr %18, ptr %17, align 8
  %19 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 1
  %20 = extractvalue { ptr, i64 } %16, 1
  store i64 %20, ptr %19, align 8
  store i64 0, ptr %10, align 8
  br label %21

21:
  %22 = load i64, ptr %10, align 8
  %23 = load i64, ptr %8, align 8
  %24 = icmp ult i64 %22, %23
  br i1 %24, label %25, label %49

25:
  %26 = load ptr, ptr %6, align 8
  %27 = load i64, ptr %10, align 8
  %28 = load i64, ptr %7, align 8
  %29 = mul i64 %27, %28
  %30 = getelementptr i64, ptr %26, i64 %29
  %31 = call i64 @hash_of(ptr noundef %30)
  %32 = load ptr, ptr %5, align 8
  %33 = getelementptr %struct.context, ptr %32, i32 0, i32 24
  %34 = load ptr, ptr %33, align 8
  %35 = load i64, ptr %10, align 8
  %36 = getelementptr i64, ptr %34, i64 %35
  store i64 %31, ptr %36, align 8
  store i64 %31, ptr %11, align 8
  %37 = getelementptr %struct.table, ptr %9, i32 0, i32 0
  %38 = load ptr, ptr %37, align 8
  %39 = load i64, ptr %11, align 8
  %40 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 0
  %41 = load ptr, ptr %40, align 8
  %42 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 1
  %43 = load i64, ptr %42, align 8
  %44 = call i64 @home(ptr %41, i64 %43, i64 noundef %39)
  %45 = getelementptr i64, ptr %38, i64 %44
  call void @prefetch(ptr noundef %45)
  br label %46

46:
  %47 = load i64, ptr %10, align 8
  %48 = add i64 %47, 1
  store i64 %48, ptr %10, align 8
  br label %21, !llvm.loop !18

49:
  store i64 0, ptr %12, align 8
  br label %50

50:
  %51 = load i64, ptr %12, align 8
  %52 = load i64, ptr %8, align 8
  %53 = icmp ult i64 %51, %52
  br i1 %53, label %54, label %97

54:
  %55 = getelementptr %struct.table, ptr %9, i32 0, i32 0
  %56 = load ptr, ptr %55, align 8
  %57 = load ptr, ptr %5, align 8
  %58 = getelementptr %struct.context, ptr %57, i32 0, i32 24
  %59 = load ptr, ptr %58, align 8
  %60 = load i64, ptr %12, align 8
  %61 = getelementptr i64, ptr %59, i64 %60
  %62 = load i64, ptr %61, align 8
  %63 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 0
  %64 = load ptr, ptr %63, align 8
  %65 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 1
  %66 = load i64, ptr %65, align 8
  %67 = call i64 @home(ptr %64, i64 %66, i64 noundef %62)
  %68 = getelementptr i64, ptr %56, i64 %67
  %69 = load i64, ptr %68, align 8
  store i64 %69, ptr %13, align 8
  %70 = load ptr, ptr %5, align 8
  %71 = getelementptr %struct.context, ptr %70, i32 0, i32 17
  %72 = load ptr, ptr %71, align 8
  %73 = load i64, ptr %13, align 8
  %74 = and i64 %73, 4294967295
  %75 = sub i64 %74, 1
  %76 = load i64, ptr @words, align 8
  %77 = mul i64 %75, %76
  %78 = getelementptr i64, ptr %72, i64 %77
  store ptr %78, ptr %14, align 8
  %79 = load i64, ptr %13, align 8
  %80 = load ptr, ptr %5, align 8
  %81 = getelementptr %struct.context, ptr %80, i32 0, i32 24
  %82 = load ptr, ptr %81, align 8
  %83 = load i64, ptr %12, align 8
  %84 = getelementptr i64, ptr %82, i64 %83
  %85 = load i64, ptr %84, align 8
  %86 = xor i64 %79, %85
  %87 = icmp ule i64 %86, 4294967295
  br i1 %87, label %88, label %90

88:
  %89 = load ptr, ptr %14, align 8
  br label %92

90:
  %91 = load ptr, ptr %5, align 8
  br label %92

92:
  %93 = phi ptr [ %89, %88 ], [ %91, %90 ]
  call void @prefetch(ptr noundef %93)
  br label %94

94:
  %95 = load i64, ptr %12, align 8
  %96 = add i64 %95, 1
  store i64 %96, ptr %12, align 8
  br label %50, !llvm.loop !19

97:
  ret void
}

define internal { ptr, i64 } @own_table(ptr noundef %0) #1 {
  %2 = alloca %struct.table, align 8
  %3 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  %4 = getelementptr inbounds nuw %struct.table, ptr %2, i32 0, i32 0
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr %struct.context, ptr %5, i32 0, i32 18
  %7 = load ptr, ptr %6, align 8
  store ptr %7, ptr %4, align 8
  %8 = getelementptr inbounds nuw %struct.table, ptr %2, i32 0, i32 1
  %9 = load ptr, ptr %3, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 19
  %11 = load i64, ptr %10, align 8
  store i64 %11, ptr %8, align 8
  %12 = load { ptr, i64 }, ptr %2, align 8
  ret { ptr, i64 } %12
}

define internal void @reached(ptr noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store i64 %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i64 %3, ptr %8, align 8
  %9 = load i64, ptr %7, align 8
  %10 = trunc i64 %9 to i16
  %11 = load ptr, ptr %5, align 8
  %12 = getelementptr %struct.context, ptr %11, i32 0, i32 23
  %13 = load ptr, ptr %12, align 8
  %14 = load i64, ptr %6, align 8
  %15 = getelementptr i16, ptr %13, i64 %14
  store i16 %10, ptr %15, align 2
  %16 = load i64, ptr %8, align 8
  %17 = load ptr, ptr %5, align 8
  %18 = getelementptr %struct.context, ptr %17, i32 0, i32 22
  %19 = load ptr, ptr %18, align 8
  %20 = load i64, ptr %6, align 8
  %21 = getelementptr i64, ptr %19, i64 %20
  store i64 %16, ptr %21, align 8
  %22 = load ptr, ptr %5, align 8
  %23 = getelementptr %struct.context, ptr %22, i32 0, i32 25
  %24 = load i64, ptr %23, align 8
  %25 = trunc i64 %24 to i16
  %26 = load ptr, ptr %5, align 8
  %27 = getelementptr %struct.context, ptr %26, i32 0, i32 26
  %28 = load ptr, ptr %27, align 8
  %29 = load i64, ptr %6, align 8
  %30 = getelementptr i16, ptr %28, i64 %29
  store i16 %25, ptr %30, align 2
  ret void
}

define internal void @append(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i64 %3, ptr %8, align 8
  %10 = load ptr, ptr %5, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 20
  %12 = load i64, ptr %11, align 8
  store i64 %12, ptr %9, align 8
  %13 = load ptr, ptr %5, align 8
  %14 = getelementptr %struct.context, ptr %13, i32 0, i32 17
  %15 = load ptr, ptr %14, align 8
  %16 = load i64, ptr %9, align 8
  %17 = load i64, ptr @words, align 8
  %18 = mul i64 %16, %17
  %19 = getelementptr i64, ptr %15, i64 %18
  %20 = load ptr, ptr %6, align 8
  call void @copy(ptr noundef %19, ptr noundef %20, i64 noundef 0)
  %21 = load i64, ptr %7, align 8
  %22 = load i64, ptr %9, align 8
  %23 = call i64 @slot_of(i64 noundef %21, i64 noundef %22)
  %24 = load ptr, ptr %5, align 8
  %25 = getelementptr %struct.context, ptr %24, i32 0, i32 18
  %26 = load ptr, ptr %25, align 8
  %27 = load i64, ptr %8, align 8
  %28 = getelementptr i64, ptr %26, i64 %27
  store i64 %23, ptr %28, align 8
  %29 = load i64, ptr %9, align 8
  %30 = add i64 %29, 1
  %31 = load ptr, ptr %5, align 8
  %32 = getelementptr %struct.context, ptr %31, i32 0, i32 20
  store i64 %30, ptr %32, align 8
  ret void
}

define void @admit(ptr noalias noundef %0, ptr noalias noundef %1, i64 noundef %2) #2 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca ptr, align 8
  %13 = alloca %struct.table, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  store i64 0, ptr %7, align 8
  br label %14

14:
  %15 = load i64, ptr %7, align 8
  %16 = load i64, ptr %6, align 8
  %17 = icmp ult i64 %15, %16
  br i1 %17, label %18, label %92

18:
  %19 = load i64, ptr %6, align 8
  %20 = load i64, ptr %7, align 8
  %21 = sub i64 %19, %20
  %22 = call i64 @least(i64 noundef %21, i64 noundef 64)
  store i64 %22, ptr %8, align 8
  %23 = load ptr, ptr %5, align 8
  %24 = load i64, ptr %7, align 8
  %25 = load i64, ptr @words, align 8
  %26 = mul i64 %24, %25
  %27 = getelementptr i64, ptr %23, i64 %26
  store ptr %27, ptr %9, align 8
  %28 = load ptr, ptr %4, align 8
  %29 = load ptr, ptr %9, align 8
  %30 = load i64, ptr @words, align 8
  %31 = load i64, ptr %8, align 8
  call void @ask_for(ptr noundef %28, ptr noundef %29, i64 noundef %30, i64 noundef %31)
  store i64 0, ptr %11, align 8
  br label %32

32:
  %33 = load i64, ptr %11, align 8
  %34 = load i64, ptr %8, align 8
  %35 = icmp ult i64 %33, %34
  br i1 %35, label %36, label %88

36:
  %37 = load ptr, ptr %9, align 8
  %38 = load i64, ptr %11, align 8
  %39 = load i64, ptr @words, align 8
  %40 = mul i64 %38, %39
  %41 = getelementptr i64, ptr %37, i64 %40
  store ptr %41, ptr %12, align 8
  %42 = load ptr, ptr %4, align 8
  %43 = load ptr, ptr %12, align 8
  %44 = call i64 @owner(ptr noundef %42, ptr noundef %43)
  %45 = load ptr, ptr %4, align 8
  %46 = getelementptr %struct.context, ptr %45, i32 0, i32 4
  %47 = load i64, ptr %46, align 8
  %48 = icmp ne i64 %44, %47
  br i1 %48, label %49, label %50

49:
  br label %85

50:
  %51 = load ptr, ptr %4, align 8
  %52 = call { ptr, i64 } @own_table(ptr noundef %51)
  %53 = getelementptr inbounds nuw { ptr, i64 }, ptr %13, i32 0, i32 0
  %54 = extractvalue { ptr, i64 } %52, 0
  store ptr %54, ptr %53, align 8
  %55 = getelementptr inbounds nuw { ptr, i64 }, ptr %13, i32 0, i32 1
  %56 = extractvalue { ptr, i64 } %52, 1
  store i64 %56, ptr %55, align 8
  %57 = load ptr, ptr %4, align 8
  %58 = getelementptr %struct.context, ptr %57, i32 0, i32 17
  %59 = load ptr, ptr %58, align 8
  %60 = load i64, ptr @words, align 8
  %61 = load ptr, ptr %12, align 8
  %62 = load ptr, ptr %4, align 8
  %63 = getelementptr %struct.context, ptr %62, i32 0, i32 24
  %64 = load ptr, ptr %63, align 8
  %65 = load i64, ptr %11, align 8
  %66 = getelementptr i64, ptr %64, i64 %65
  %67 = load i64, ptr %66, align 8
  %68 = getelementptr inbounds nuw { ptr, i64 }, ptr %13, i32 0, i32 0
  %69 = load ptr, ptr %68, align 8
  %70 = getelementptr inbounds nuw { ptr, i64 }, ptr %13, i32 0, i32 1
  %71 = load i64, ptr %70, align 8
  %72 = call i64 @find_in(ptr %69, i64 %71, ptr noundef %59, i64 noundef %60, ptr noundef %61, i64 noundef %67, ptr noundef %10)
  %73 = icmp ne i64 %72, 0
  br i1 %73, label %84, label %74

74:
  %75 = load ptr, ptr %4, align 8
  %76 = load ptr, ptr %12, align 8
  %77 = load ptr, ptr %4, align 8
  %78 = getelementptr %struct.context, ptr %77, i32 0, i32 24
  %79 = load ptr, ptr %78, align 8
  %80 = load i64, ptr %11, align 8
  %81 = getelementptr i64, ptr %79, i64 %80
  %82 = load i64, ptr %81, align 8
  %83 = load i64, ptr %10, align 8
  call void @append(ptr noundef %75, ptr noundef %76, i64 noundef %82, i64 noundef %83)
  br label %84

84:
  br label %85

85:
  %86 = load i64, ptr %11, align 8
  %87 = add i64 %86, 1
  store i64 %87, ptr %11, align 8
  br label %32, !llvm.loop !20

88:
  br label %89

89:
  %90 = load i64, ptr %7, align 8
  %91 = add i64 %90, 64
  store i64 %91, ptr %7, align 8
  br label %14, !llvm.loop !21

92:
  ret void
}

define void @rehash(ptr noalias noundef %0, ptr noalias noundef %1, i64 noundef %2) #2 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca %struct.table, align 8
  %8 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %9 = load ptr, ptr %4, align 8
  %10 = call { ptr, i64 } @own_table(ptr noundef %9)
  %11 = getelementptr inbounds nuw { ptr, i64 }, ptr %7, i32 0, i32 0
  %12 = extractvalue { ptr, i64 } %10, 0
  store ptr %12, ptr %11, align 8
  %13 = getelementptr inbounds nuw { ptr, i64 }, ptr %7, i32 0, i32 1
  %14 = extractvalue { ptr, i64 } %10, 1
  store i64 %14, ptr %13, align 8
  store i64 0, ptr %8, align 8
  br label %15

15:
  %16 = load i64, ptr %8, align 8
  %17 = load i64, ptr %6, align 8
  %18 = icmp ult i64 %16, %17
  br i1 %18, label %19, label %51

19:
  %20 = load ptr, ptr %5, align 8
  %21 = load i64, ptr %8, align 8
  %22 = getelementptr i64, ptr %20, i64 %21
  %23 = load i64, ptr %22, align 8
  %24 = icmp ne i64 %23, 0
  br i1 %24, label %25, label %47

25:
  %26 = load ptr, ptr %5, align 8
  %27 = load i64, ptr %8, align 8
  %28 = getelementptr i64, ptr %26, i64 %27
  %29 = load i64, ptr %28, align 8
  %30 = getelementptr %struct.table, ptr %7, i32 0, i32 0
  %31 = load ptr, ptr %30, align 8
  %32 = load ptr, ptr %5, align 8
  %33 = load i64, ptr %8, align 8
  %34 = getelementptr i64, ptr %32, i64 %33
  %35 = load i64, ptr %34, align 8
  %36 = getelementptr inbounds nuw { ptr, i64 }, ptr %7, i32 0, i32 0
  %37 = load ptr, ptr %36, align 8
  %38 = getelementptr inbounds nuw { ptr, i64 }, ptr %7, i32 0, i32 1
  %39 = load i64, ptr %38, align 8
  %40 = call i64 @home(ptr %37, i64 %39, i64 noundef %35)
  %41 = getelementptr inbounds nuw { ptr, i64 }, ptr %7, i32 0, i32 0
  %42 = load ptr, ptr %41, align 8
  %43 = getelementptr inbounds nuw { ptr, i64 }, ptr %7, i32 0, i32 1
  %44 = load i64, ptr %43, align 8
  %45 = call i64 @free_from(ptr %42, i64 %44, i64 noundef %40)
  %46 = getelementptr i64, ptr %31, i64 %45
  store i64 %29, ptr %46, align 8
  br label %47

47:
  br label %48

48:
  %49 = load i64, ptr %8, align 8
  %50 = add i64 %49, 1
  store i64 %50, ptr %8, align 8
  br label %15, !llvm.loop !22

51:
  ret void
}

define internal i64 @free_from(ptr %0, i64 %1, i64 noundef %2) #1 {
  %4 = alloca %struct.table, align 8
  %5 = alloca i64, align 8
  %6 = getelementptr inbounds nuw { ptr, i64 }, ptr %4, i32 0, i32 0
  store ptr %0, ptr %6, align 8
  %7 = getelementptr inbounds nuw { ptr, i64 }, ptr %4, i32 0, i32 1
  store i64 %1, ptr %7, align 8
  store i64 %2, ptr %5, align 8
  br label %8

8:
  %9 = getelementptr %struct.table, ptr %4, i32 0, i32 0
  %10 = load ptr, ptr %9, align 8
  %11 = load i64, ptr %5, align 8
  %12 = getelementptr i64, ptr %10, i64 %11
  %13 = load i64, ptr %12, align 8
  %14 = icmp ne i64 %13, 0
  br i1 %14, label %15, label %22

15:
  %16 = load i64, ptr %5, align 8
  %17 = getelementptr inbounds nuw { ptr, i64 }, ptr %4, i32 0, i32 0
  %18 = load ptr, ptr %17, align 8
  %19 = getelementptr inbounds nuw { ptr, i64 }, ptr %4, i32 0, i32 1
  %20 = load i64, ptr %19, align 8
  %21 = call i64 @after(ptr %18, i64 %20, i64 noundef %16, i64 noundef 1)
  store i64 %21, ptr %5, align 8
  br label %8, !llvm.loop !23

22:
  %23 = load i64, ptr %5, align 8
  ret i64 %23
}

define internal i64 @home(ptr %0, i64 %1, i64 noundef %2) #1 {
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
  %11 = call i64 @upper_half(i64 noundef %8, i64 noundef %10)
  ret i64 %11
}

define void @evaluate_new(ptr noalias noundef %0) #2 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %7 = load ptr, ptr %2, align 8
  %8 = getelementptr %struct.context, ptr %7, i32 0, i32 21
  %9 = load i64, ptr %8, align 8
  store i64 %9, ptr %3, align 8
  br label %10

10:
  %11 = load i64, ptr %3, align 8
  %12 = load ptr, ptr %2, align 8
  %13 = getelementptr %struct.context, ptr %12, i32 0, i32 20
  %14 = load i64, ptr %13, align 8
  %15 = icmp ult i64 %11, %14
  br i1 %15, label %16, label %73

16:
  %17 = load ptr, ptr %2, align 8
  %18 = getelementptr %struct.context, ptr %17, i32 0, i32 17
  %19 = load ptr, ptr %18, align 8
  %20 = load i64, ptr %3, align 8
  %21 = load i64, ptr @words, align 8
  %22 = mul i64 %20, %21
  %23 = getelementptr i64, ptr %19, i64 %22
  store ptr %23, ptr %4, align 8
  %24 = load ptr, ptr %4, align 8
  %25 = call i64 @hash_of(ptr noundef %24)
  store i64 %25, ptr %5, align 8
  %26 = load ptr, ptr %2, align 8
  %27 = getelementptr %struct.context, ptr %26, i32 0, i32 35
  %28 = load ptr, ptr %27, align 8
  %29 = load ptr, ptr %2, align 8
  %30 = getelementptr %struct.context, ptr %29, i32 0, i32 23
  %31 = load ptr, ptr %30, align 8
  %32 = load i64, ptr %3, align 8
  %33 = load ptr, ptr %2, align 8
  %34 = getelementptr %struct.context, ptr %33, i32 0, i32 21
  %35 = load i64, ptr %34, align 8
  %36 = sub i64 %32, %35
  %37 = getelementptr i16, ptr %31, i64 %36
  %38 = load i16, ptr %37, align 2
  %39 = zext i16 %38 to i64
  %40 = getelementptr i64, ptr %28, i64 %39
  %41 = load i64, ptr %40, align 8
  %42 = add i64 %41, 1
  store i64 %42, ptr %40, align 8
  %43 = load i64, ptr %5, align 8
  %44 = load ptr, ptr %2, align 8
  %45 = getelementptr %struct.context, ptr %44, i32 0, i32 32
  %46 = load i64, ptr %45, align 8
  %47 = add i64 %46, %43
  store i64 %47, ptr %45, align 8
  %48 = load ptr, ptr %4, align 8
  %49 = call i64 @hash_lane(ptr noundef %48, i32 noundef 1)
  %50 = load ptr, ptr %2, align 8
  %51 = getelementptr %struct.context, ptr %50, i32 0, i32 33
  %52 = load i64, ptr %51, align 8
  %53 = add i64 %52, %49
  store i64 %53, ptr %51, align 8
  %54 = load ptr, ptr %2, align 8
  %55 = getelementptr %struct.context, ptr %54, i32 0, i32 39
  %56 = load ptr, ptr %55, align 8
  %57 = load ptr, ptr %4, align 8
  %58 = load ptr, ptr %2, align 8
  %59 = getelementptr %struct.context, ptr %58, i32 0, i32 3
  %60 = load i64, ptr %59, align 8
  %61 = call i64 %56(ptr noundef %57, i64 noundef %60)
  store i64 %61, ptr %6, align 8
  %62 = load i64, ptr %6, align 8
  %63 = icmp ne i64 %62, 0
  br i1 %63, label %64, label %69

64:
  %65 = load ptr, ptr %2, align 8
  %66 = load i64, ptr %6, align 8
  %67 = load i64, ptr %5, align 8
  %68 = load ptr, ptr %4, align 8
  call void @note_all(ptr noundef %65, i64 noundef %66, i64 noundef 2, i64 noundef %67, i64 noundef 0, i64 noundef 0, ptr noundef %68)
  br label %69

69:
  br label %70

70:
  %71 = load i64, ptr %3, align 8
  %72 = add i64 %71, 1
  store i64 %72, ptr %3, align 8
  br label %10, !llvm.loop !24

73:
  ret void
}

define internal i64 @hash_lane(ptr noundef %0, i32 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  %5 = load ptr, ptr %3, align 8
  %6 = load i32, ptr %4, align 4
  %7 = call i64 @hash_bits(ptr noundef %5, ptr noundef null, i32 noundef %6)
  ret i64 %7
}

define internal void @note_all(ptr noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5, ptr noundef %6) #1 {
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca ptr, align 8
  %15 = alloca i64, align 8
  %16 = alloca i64, align 8
  store ptr %0, ptr %8, align 8
  store i64 %1, ptr %9, align 8
  store i64 %2, ptr %10, align 8
  store i64 %3, ptr %11, align 8
  store i64 %4, ptr %12, align 8
  store i64 %5, ptr %13, align 8
  store ptr %6, ptr %14, align 8
  %17 = load i64, ptr %9, align 8
  %18 = load ptr, ptr %8, align 8
  %19 = getelementptr %struct.context, ptr %18, i32 0, i32 3
  %20 = load i64, ptr %19, align 8
  %21 = or i64 %20, 70368744177664
  %22 = and i64 %17, %21
  store i64 %22, ptr %15, align 8
  br label %23

23:
  %24 = load i64, ptr %15, align 8
  %25 = icmp ne i64 %24, 0
  br i1 %25, label %26, label %31

26:
  %27 = load i64, ptr %15, align 8
  %28 = call i64 @llvm.cttz.i64(i64 %27, i1 true)
  %29 = trunc i64 %28 to i32
  %30 = sext i32 %29 to i64
  store i64 %30, ptr %16, align 8
  br label %31

31:
  %32 = phi i1 [ false, %23 ], [ true, %26 ]
  br i1 %32, label %33, label %52

33:
  %34 = load ptr, ptr %8, align 8
  %35 = load i64, ptr %16, align 8
  %36 = load i64, ptr %16, align 8
  %37 = icmp eq i64 %36, 46
  br i1 %37, label %38, label %40

38:
  %39 = load i64, ptr %10, align 8
  br label %41

40:
  br label %41

41:
  %42 = phi i64 [ %39, %38 ], [ 0, %40 ]
  %43 = load i64, ptr %11, align 8
  %44 = load i64, ptr %12, align 8
  %45 = load i64, ptr %13, align 8
  %46 = load ptr, ptr %14, align 8
  call void @note_least(ptr noundef %34, i64 noundef %35, i64 noundef %42, i64 noundef %43, i64 noundef %44, i64 noundef %45, ptr noundef %46)
  br label %47

47:
  %48 = load i64, ptr %15, align 8
  %49 = sub i64 %48, 1
  %50 = load i64, ptr %15, align 8
  %51 = and i64 %50, %49
  store i64 %51, ptr %15, align 8
  br label %23, !llvm.loop !25

52:
  ret void
}

define i64 @find(ptr noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3) #2 {
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store i64 %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i64 %3, ptr %8, align 8
  br label %9

9:
  %10 = load i64, ptr %6, align 8
  %11 = load i64, ptr %7, align 8
  %12 = icmp ult i64 %10, %11
  br i1 %12, label %13, label %22

13:
  %14 = load ptr, ptr %5, align 8
  %15 = load i64, ptr %6, align 8
  %16 = load i64, ptr @words, align 8
  %17 = mul i64 %15, %16
  %18 = getelementptr i64, ptr %14, i64 %17
  %19 = call i64 @hash_of(ptr noundef %18)
  %20 = load i64, ptr %8, align 8
  %21 = icmp ne i64 %19, %20
  br label %22

22:
  %23 = phi i1 [ false, %9 ], [ %21, %13 ]
  br i1 %23, label %24, label %27

24:
  %25 = load i64, ptr %6, align 8
  %26 = add i64 %25, 1
  store i64 %26, ptr %6, align 8
  br label %9, !llvm.loop !26

27:
  %28 = load i64, ptr %6, align 8
  ret i64 %28
}

define void @to_columns(ptr noalias noundef %0, ptr noalias noundef %1, ptr noalias noundef %2, i64 noundef %3) #2 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca ptr, align 8
  %12 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store ptr %2, ptr %7, align 8
  store i64 %3, ptr %8, align 8
  %13 = load ptr, ptr %7, align 8
  %14 = load i64, ptr %8, align 8
  %15 = load i64, ptr @words, align 8
  %16 = mul i64 %14, %15
  %17 = getelementptr i64, ptr %13, i64 %16
  store ptr %17, ptr %9, align 8
  store i64 0, ptr %10, align 8
  br label %18

18:
  %19 = load i64, ptr %10, align 8
  %20 = load i64, ptr %8, align 8
  %21 = icmp ult i64 %19, %20
  br i1 %21, label %22, label %65

22:
  %23 = load ptr, ptr %5, align 8
  %24 = load i64, ptr %10, align 8
  %25 = call ptr @sent_at(ptr noundef %23, i64 noundef %24)
  store ptr %25, ptr %11, align 8
  store i64 0, ptr %12, align 8
  br label %26

26:
  %27 = load i64, ptr %12, align 8
  %28 = load i64, ptr @words, align 8
  %29 = icmp ult i64 %27, %28
  br i1 %29, label %30, label %45

30:
  %31 = load ptr, ptr %11, align 8
  %32 = load i64, ptr %12, align 8
  %33 = getelementptr i64, ptr %31, i64 %32
  %34 = load i64, ptr %33, align 8
  %35 = load ptr, ptr %7, align 8
  %36 = load i64, ptr %8, align 8
  %37 = load i64, ptr %12, align 8
  %38 = mul i64 %36, %37
  %39 = load i64, ptr %10, align 8
  %40 = add i64 %38, %39
  %41 = getelementptr i64, ptr %35, i64 %40
  store i64 %34, ptr %41, align 8
  br label %42

42:
  %43 = load i64, ptr %12, align 8
  %44 = add i64 %43, 1
  store i64 %44, ptr %12, align 8
  br label %26, !llvm.loop !27

45:
  %46 = load ptr, ptr %11, align 8
  %47 = load i64, ptr @words, align 8
  %48 = getelementptr i64, ptr %46, i64 %47
  %49 = load i64, ptr %48, align 8
  %50 = trunc i64 %49 to i16
  %51 = load ptr, ptr %9, align 8
  %52 = load i64, ptr %10, align 8
  %53 = getelementptr i16, ptr %51, i64 %52
  store i16 %50, ptr %53, align 2
  %54 = load ptr, ptr %11, align 8
  %55 = load i64, ptr @words, align 8
  %56 = add i64 %55, 1
  %57 = getelementptr i64, ptr %54, i64 %56
  %58 = load i64, ptr %57, align 8
  %59 = load ptr, ptr %6, align 8
  %60 = load i64, ptr %10, align 8
  %61 = getelementptr i64, ptr %59, i64 %60
  store i64 %58, ptr %61, align 8
  br label %62

62:
  %63 = load i64, ptr %10, align 8
  %64 = add i64 %63, 1
  store i64 %64, ptr %10, align 8
  br label %18, !llvm.loop !28

65:
  ret void
}

define void @to_records(ptr noalias noundef %0, ptr noalias noundef %1, ptr noalias noundef %2, i64 noundef %3) #2 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca ptr, align 8
  %12 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store ptr %2, ptr %7, align 8
  store i64 %3, ptr %8, align 8
  %13 = load ptr, ptr %7, align 8
  %14 = load i64, ptr %8, align 8
  %15 = load i64, ptr @words, align 8
  %16 = mul i64 %14, %15
  %17 = getelementptr i64, ptr %13, i64 %16
  store ptr %17, ptr %9, align 8
  store i64 0, ptr %10, align 8
  br label %18

18:
  %19 = load i64, ptr %10, align 8
  %20 = load i64, ptr %8, align 8
  %21 = icmp ult i64 %19, %20
  br i1 %21, label %22, label %65

22:
  %23 = load ptr, ptr %5, align 8
  %24 = load i64, ptr %10, align 8
  %25 = call ptr @sent_at(ptr noundef %23, i64 noundef %24)
  store ptr %25, ptr %11, align 8
  store i64 0, ptr %12, align 8
  br label %26

26:
  %27 = load i64, ptr %12, align 8
  %28 = load i64, ptr @words, align 8
  %29 = icmp ult i64 %27, %28
  br i1 %29, label %30, label %45

30:
  %31 = load ptr, ptr %7, align 8
  %32 = load i64, ptr %8, align 8
  %33 = load i64, ptr %12, align 8
  %34 = mul i64 %32, %33
  %35 = load i64, ptr %10, align 8
  %36 = add i64 %34, %35
  %37 = getelementptr i64, ptr %31, i64 %36
  %38 = load i64, ptr %37, align 8
  %39 = load ptr, ptr %11, align 8
  %40 = load i64, ptr %12, align 8
  %41 = getelementptr i64, ptr %39, i64 %40
  store i64 %38, ptr %41, align 8
  br label %42

42:
  %43 = load i64, ptr %12, align 8
  %44 = add i64 %43, 1
  store i64 %44, ptr %12, align 8
  br label %26, !llvm.loop !29

45:
  %46 = load ptr, ptr %9, align 8
  %47 = load i64, ptr %10, align 8
  %48 = getelementptr i16, ptr %46, i64 %47
  %49 = load i16, ptr %48, align 2
  %50 = zext i16 %49 to i64
  %51 = load ptr, ptr %11, align 8
  %52 = load i64, ptr @words, align 8
  %53 = getelementptr i64, ptr %51, i64 %52
  store i64 %50, ptr %53, align 8
  %54 = load ptr, ptr %6, align 8
  %55 = load i64, ptr %10, align 8
  %56 = getelementptr i64, ptr %54, i64 %55
  %57 = load i64, ptr %56, align 8
  %58 = load ptr, ptr %11, align 8
  %59 = load i64, ptr @words, align 8
  %60 = add i64 %59, 1
  %61 = getelementptr i64, ptr %58, i64 %60
  store i64 %57, ptr %61, align 8
  br label %62

62:
  %63 = load i64, ptr %10, align 8
  %64 = add i64 %63, 1
  store i64 %64, ptr %10, align 8
  br label %18, !llvm.loop !30

65:
  ret void
}

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
  br label %7, !llvm.loop !31

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
  br label %19, !llvm.loop !32

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

define internal { i64, i64 } @step_lanes(i64 noundef %0, i64 noundef %1, i64 noundef %2) #1 {
  %4 = alloca %struct.step_lanes, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  store i64 %0, ptr %5, align 8
  store i64 %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  %9 = load i64, ptr %6, align 8
  %10 = load i64, ptr %5, align 8
  %11 = xor i64 %9, %10
  %12 = load i64, ptr %7, align 8
  %13 = load i64, ptr getelementptr ([8 x i64], ptr @SECRETS, i64 0, i64 2), align 16
  %14 = xor i64 %12, %13
  %15 = call i64 @folded(i64 noundef %11, i64 noundef %14)
  store i64 %15, ptr %8, align 8
  %16 = getelementptr inbounds nuw %struct.step_lanes, ptr %4, i32 0, i32 0
  %17 = load i64, ptr %8, align 8
  store i64 %17, ptr %16, align 8
  %18 = getelementptr inbounds nuw %struct.step_lanes, ptr %4, i32 0, i32 1
  %19 = load i64, ptr %6, align 8
  %20 = load i64, ptr %5, align 8
  %21 = add i64 %19, %20
  %22 = load i64, ptr %7, align 8
  %23 = load i64, ptr getelementptr ([8 x i64], ptr @SECRETS, i64 0, i64 5), align 8
  %24 = xor i64 %22, %23
  %25 = call i64 @folded(i64 noundef %21, i64 noundef %24)
  store i64 %25, ptr %18, align 8
  %26 = load { i64, i64 }, ptr %4, align 8
  ret { i64, i64 } %26
}

define internal void @prefetch(ptr noundef %0) #1 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  call void @llvm.prefetch.p0(ptr %3, i32 0, i32 3, i32 1)
  ret void
}

declare void @llvm.prefetch.p0(ptr readonly captures(none), i32 immarg, i32 immarg, i32 immarg) #3

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

declare i64 @llvm.cttz.i64(i64, i1 immarg) #4

attributes #0 = { noinline nounwind }
attributes #1 = { alwaysinline nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind }

!0 = !{i32 7, !"Dwarf Version", i32 4}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 7, !"uwtable", i32 1}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.mustprogress"}
!5 = distinct !{!5, !4, !6}
!6 = !{!"llvm.loop.unroll.full"}
!7 = distinct !{!7, !4}
!8 = distinct !{!8, !4}
!9 = distinct !{!9, !4, !6}
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
!27 = distinct !{!27, !4, !6}
!28 = distinct !{!28, !4}
!29 = distinct !{!29, !4, !6}
!30 = distinct !{!30, !4}
!31 = distinct !{!31, !4, !6}
!32 = distinct !{!32, !4, !6}
