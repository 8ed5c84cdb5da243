%struct.context = type { ptr, ptr, i64, i64, i64, i64, i64, i64, i64, ptr, i64, i64, i64, i64, ptr, i64, ptr, i64, ptr, i64, i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, ptr, ptr, i64, ptr, ptr, i64, ptr, ptr, ptr, ptr, i64, ptr, i64, i64, i64, ptr, ptr, i64, i64, ptr, ptr }
%struct.visited = type { ptr, i32, i64, i64, i64, ptr, ptr }
%struct.table = type { ptr, i64 }
%struct.shown = type { i64, i64 }
%struct.known = type { ptr, i64 }
%struct.step_lanes = type { i64, i64 }
%struct.flight = type { ptr, ptr, ptr, [2 x i64] }
%struct.budget = type { i64, i64, i64, i64, i64 }
%struct.seen = type { i64, i64, ptr }

@dominating = external constant i64, align 8
@words = external constant i64, align 8
@compacted = external constant i64, align 8
@constrained = external constant i64, align 8
@SECRETS = internal constant [8 x i64] [i64 -6884282663029611473, i64 -1800455987208640293, i64 -8161530843051276573, i64 6384245875588680899, i64 2129725606500045391, i64 -1493879189771267739, i64 -7046029254386353131, i64 -4417276706812531889], align 16
@symmetric = external constant i64, align 8

define void @note(ptr noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5, i64 noundef %6, i64 noundef %7) #0 {
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  %15 = alloca i64, align 8
  %16 = alloca i64, align 8
  %17 = alloca ptr, align 8
  %18 = alloca [4 x i64], align 16
  %19 = alloca i32, align 4
  %20 = alloca i32, align 4
  store ptr %0, ptr %9, align 8
  store i64 %1, ptr %10, align 8
  store i64 %2, ptr %11, align 8
  store i64 %3, ptr %12, align 8
  store i64 %4, ptr %13, align 8
  store i64 %5, ptr %14, align 8
  store i64 %6, ptr %15, align 8
  store i64 %7, ptr %16, align 8
  %21 = load ptr, ptr %9, align 8
  %22 = load i64, ptr %10, align 8
  %23 = mul i64 %22, 7
  %24 = getelementptr i64, ptr %21, i64 %23
  store ptr %24, ptr %17, align 8
  %25 = load i64, ptr %11, align 8
  store i64 %25, ptr %18, align 8
  %26 = getelementptr inbounds i64, ptr %18, i64 1
  %27 = load i64, ptr %12, align 8
  store i64 %27, ptr %26, align 8
  %28 = getelementptr inbounds i64, ptr %18, i64 2
  %29 = load i64, ptr %13, align 8
  store i64 %29, ptr %28, align 8
  %30 = getelementptr inbounds i64, ptr %18, i64 3
  %31 = load i64, ptr %14, align 8
  store i64 %31, ptr %30, align 8
  %32 = load ptr, ptr %17, align 8
  %33 = getelementptr i64, ptr %32, i64 0
  %34 = load i64, ptr %33, align 8
  %35 = icmp ne i64 %34, 0
  br i1 %35, label %36, label %74

36:
  store i32 0, ptr %19, align 4
  br label %37

37:
  %38 = load i32, ptr %19, align 4
  %39 = icmp slt i32 %38, 4
  br i1 %39, label %40, label %52

40:
  %41 = load i32, ptr %19, align 4
  %42 = sext i32 %41 to i64
  %43 = getelementptr [4 x i64], ptr %18, i64 0, i64 %42
  %44 = load i64, ptr %43, align 8
  %45 = load ptr, ptr %17, align 8
  %46 = load i32, ptr %19, align 4
  %47 = add i32 1, %46
  %48 = sext i32 %47 to i64
  %49 = getelementptr i64, ptr %45, i64 %48
  %50 = load i64, ptr %49, align 8
  %51 = icmp eq i64 %44, %50
  br label %52

52:
  %53 = phi i1 [ false, %37 ], [ %51, %40 ]
  br i1 %53, label %54, label %57

54:
  %55 = load i32, ptr %19, align 4
  %56 = add i32 %55, 1
  store i32 %56, ptr %19, align 4
  br label %37, !llvm.loop !3

57:
  %58 = load i32, ptr %19, align 4
  %59 = icmp eq i32 %58, 4
  br i1 %59, label %72, label %60

60:
  %61 = load i32, ptr %19, align 4
  %62 = sext i32 %61 to i64
  %63 = getelementptr [4 x i64], ptr %18, i64 0, i64 %62
  %64 = load i64, ptr %63, align 8
  %65 = load ptr, ptr %17, align 8
  %66 = load i32, ptr %19, align 4
  %67 = add i32 1, %66
  %68 = sext i32 %67 to i64
  %69 = getelementptr i64, ptr %65, i64 %68
  %70 = load i64, ptr %69, align 8
  %71 = icmp ugt i64 %64, %70
  br i1 %71, label %72, label %73

72:
  br label %100

73:
  br label %74

74:
  %75 = load ptr, ptr %17, align 8
  %76 = getelementptr i64, ptr %75, i64 0
  store i64 1, ptr %76, align 8
  store i32 0, ptr %20, align 4
  br label %77

77:
  %78 = load i32, ptr %20, align 4
  %79 = icmp slt i32 %78, 4
  br i1 %79, label %80, label %93

80:
  %81 = load i32, ptr %20, align 4
  %82 = sext i32 %81 to i64
  %83 = getelementptr [4 x i64], ptr %18, i64 0, i64 %82
  %84 = load i64, ptr %83, align 8
  %85 = load ptr, ptr %17, align 8
  %86 = load i32, ptr %20, align 4
  %87 = add i32 1, %86
  %88 = sext i32 %87 to i64
  %89 = getelementptr i64, ptr %85, i64 %88
  store i64 %84, ptr %89, align 8
  br label %90

90:
  %91 = load i32, ptr %20, align 4
  %92 = add i32 %91, 1
  store i32 %92, ptr %20, align 4
  br label %77, !llvm.loop !5

93:
  %94 = load i64, ptr %15, align 8
  %95 = load ptr, ptr %17, align 8
  %96 = getelementptr i64, ptr %95, i64 5
  store i64 %94, ptr %96, align 8
  %97 = load i64, ptr %16, align 8
  %98 = load ptr, ptr %17, align 8
  %99 = getelementptr i64, ptr %98, i64 6
  store i64 %97, ptr %99, align 8
  br label %100

100:
  ret void
}

define void @note_step(ptr noalias noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3, i64 noundef %4) #0 {
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
  store i64 %4, ptr %10, align 8
  %13 = load ptr, ptr %6, align 8
  %14 = load i64, ptr %7, align 8
  %15 = call i64 @wanted(ptr noundef %13, i64 noundef %14)
  store i64 %15, ptr %11, align 8
  br label %16

16:
  %17 = load i64, ptr %11, align 8
  %18 = icmp ne i64 %17, 0
  br i1 %18, label %19, label %24

19:
  %20 = load i64, ptr %11, align 8
  %21 = call i64 @llvm.cttz.i64(i64 %20, i1 true)
  %22 = trunc i64 %21 to i32
  %23 = sext i32 %22 to i64
  store i64 %23, ptr %12, align 8
  br label %24

24:
  %25 = phi i1 [ false, %16 ], [ true, %19 ]
  br i1 %25, label %26, label %45

26:
  %27 = load ptr, ptr %6, align 8
  %28 = getelementptr %struct.context, ptr %27, i32 0, i32 27
  %29 = load ptr, ptr %28, align 8
  %30 = load i64, ptr %12, align 8
  %31 = load i64, ptr %12, align 8
  %32 = icmp eq i64 %31, 46
  %33 = zext i1 %32 to i64
  %34 = select i1 %32, i32 1, i32 0
  %35 = sext i32 %34 to i64
  %36 = load i64, ptr %9, align 8
  %37 = load i64, ptr %10, align 8
  %38 = load i64, ptr %8, align 8
  %39 = load i64, ptr %9, align 8
  call void @note(ptr noundef %29, i64 noundef %30, i64 noundef %35, i64 noundef %36, i64 noundef %37, i64 noundef 0, i64 noundef %38, i64 noundef %39)
  br label %40

40:
  %41 = load i64, ptr %11, align 8
  %42 = sub i64 %41, 1
  %43 = load i64, ptr %11, align 8
  %44 = and i64 %43, %42
  store i64 %44, ptr %11, align 8
  br label %16, !llvm.loop !6

45:
  ret void
}

define internal i64 @wanted(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load i64, ptr %4, align 8
  %6 = load ptr, ptr %3, align 8
  %7 = getelementptr %struct.context, ptr %6, i32 0, i32 8
  %8 = load i64, ptr %7, align 8
  %9 = or i64 %8, 70368744177664
  %10 = and i64 %5, %9
  ret i64 %10
}

declare i64 @llvm.cttz.i64(i64, i1 immarg) #2

define void @note_state(ptr noalias noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5, i64 noundef %6) #0 {
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  %15 = alloca i64, align 8
  %16 = alloca i64, align 8
  store ptr %0, ptr %8, align 8
  store i64 %1, ptr %9, align 8
  store i64 %2, ptr %10, align 8
  store i64 %3, ptr %11, align 8
  store i64 %4, ptr %12, align 8
  store i64 %5, ptr %13, align 8
  store i64 %6, ptr %14, align 8
  %17 = load ptr, ptr %8, align 8
  %18 = load i64, ptr %9, align 8
  %19 = call i64 @wanted(ptr noundef %17, i64 noundef %18)
  store i64 %19, ptr %15, align 8
  br label %20

20:
  %21 = load i64, ptr %15, align 8
  %22 = icmp ne i64 %21, 0
  br i1 %22, label %23, label %28

23:
  %24 = load i64, ptr %15, align 8
  %25 = call i64 @llvm.cttz.i64(i64 %24, i1 true)
  %26 = trunc i64 %25 to i32
  %27 = sext i32 %26 to i64
  store i64 %27, ptr %16, align 8
  br label %28

28:
  %29 = phi i1 [ false, %20 ], [ true, %23 ]
  br i1 %29, label %30, label %50

30:
  %31 = load ptr, ptr %8, align 8
  %32 = getelementptr %struct.context, ptr %31, i32 0, i32 27
  %33 = load ptr, ptr %32, align 8
  %34 = load i64, ptr %16, align 8
  %35 = load i64, ptr %16, align 8
  %36 = icmp eq i64 %35, 46
  %37 = zext i1 %36 to i64
  %38 = select i1 %36, i32 2, i32 0
  %39 = sext i32 %38 to i64
  %40 = load i64, ptr %10, align 8
  %41 = load i64, ptr %13, align 8
  %42 = load i64, ptr %14, align 8
  %43 = load i64, ptr %11, align 8
  %44 = load i64, ptr %12, align 8
  call void @note(ptr noundef %33, i64 noundef %34, i64 noundef %39, i64 noundef %40, i64 noundef %41, i64 noundef %42, i64 noundef %43, i64 noundef %44)
  br label %45

45:
  %46 = load i64, ptr %15, align 8
  %47 = sub i64 %46, 1
  %48 = load i64, ptr %15, align 8
  %49 = and i64 %48, %47
  store i64 %49, ptr %15, align 8
  br label %20, !llvm.loop !7

50:
  ret void
}

define void @prefer(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = load ptr, ptr %5, align 8
  %9 = load i64, ptr %6, align 8
  call void @prefer_in(ptr noundef %7, ptr noundef %8, i64 noundef %9, i32 noundef 0)
  ret void
}

define internal void @prefer_in(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i32, align 4
  %9 = alloca %struct.visited, align 8
  %10 = alloca ptr, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i32 %3, ptr %8, align 4
  %15 = load ptr, ptr %5, align 8
  %16 = load i32, ptr %8, align 4
  call void @visited_at_entry(ptr dead_on_unwind writable sret(%struct.visited) align 8 %9, ptr noundef %15, i32 noundef %16)
  %17 = load ptr, ptr %6, align 8
  %18 = load i64, ptr @words, align 8
  %19 = getelementptr i64, ptr %17, i64 %18
  store ptr %19, ptr %10, align 8
  %20 = load i64, ptr %7, align 8
  %21 = and i64 %20, 65535
  store i64 %21, ptr %11, align 8
  br label %22

22:
  %23 = load ptr, ptr %10, align 8
  %24 = call i64 @load_slot(ptr noundef %9, ptr noundef %23)
  store i64 %24, ptr %12, align 8
  %25 = load i64, ptr %12, align 8
  %26 = and i64 %25, 65535
  store i64 %26, ptr %13, align 8
  %27 = load i64, ptr %11, align 8
  %28 = load i64, ptr %13, align 8
  %29 = icmp ugt i64 %27, %28
  br i1 %29, label %30, label %31

30:
  br label %63

31:
  %32 = load i64, ptr %11, align 8
  %33 = load i64, ptr %13, align 8
  %34 = icmp eq i64 %32, %33
  br i1 %34, label %35, label %50

35:
  %36 = load ptr, ptr %5, align 8
  %37 = load i64, ptr %7, align 8
  %38 = lshr i64 %37, 16
  %39 = call ptr @named(ptr noundef %36, i64 noundef %38)
  %40 = call i64 @hash_of(ptr noundef %39)
  store i64 %40, ptr %14, align 8
  %41 = load i64, ptr %14, align 8
  %42 = load ptr, ptr %5, align 8
  %43 = load i64, ptr %12, align 8
  %44 = lshr i64 %43, 16
  %45 = call ptr @named(ptr noundef %42, i64 noundef %44)
  %46 = call i64 @hash_of(ptr noundef %45)
  %47 = icmp uge i64 %41, %46
  br i1 %47, label %48, label %49

48:
  br label %63

49:
  br label %50

50:
  %51 = load i32, ptr %8, align 4
  %52 = icmp ne i32 %51, 0
  br i1 %52, label %56, label %53

53:
  %54 = load i64, ptr %7, align 8
  %55 = load ptr, ptr %10, align 8
  store i64 %54, ptr %55, align 8
  br label %63

56:
  %57 = load ptr, ptr %10, align 8
  %58 = load i64, ptr %7, align 8
  %59 = call i32 @exchange(ptr noundef %57, ptr noundef %12, i64 noundef %58)
  %60 = icmp ne i32 %59, 0
  br i1 %60, label %61, label %62

61:
  br label %63

62:
  br label %22

63:
  ret void
}

define void @prefer_shared(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = load ptr, ptr %5, align 8
  %9 = load i64, ptr %6, align 8
  call void @prefer_in(ptr noundef %7, ptr noundef %8, i64 noundef %9, i32 noundef 1)
  ret void
}

define void @insert_entry(ptr noalias noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = load ptr, ptr %4, align 8
  call void @insert_entry_in(ptr noundef %5, ptr noundef %6, i32 noundef 0)
  ret void
}

define internal void @insert_entry_in(ptr noundef %0, ptr noundef %1, i32 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca %struct.visited, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca %struct.table, align 8
  %12 = alloca %struct.table, align 8
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  %15 = alloca ptr, align 8
  %16 = alloca %struct.shown, align 8
  %17 = alloca i64, align 8
  %18 = alloca %struct.known, align 8
  %19 = alloca i64, align 8
  %20 = alloca i64, align 8
  %21 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i32 %2, ptr %6, align 4
  %22 = load ptr, ptr %4, align 8
  %23 = load i32, ptr %6, align 4
  call void @visited_at_entry(ptr dead_on_unwind writable sret(%struct.visited) align 8 %7, ptr noundef %22, i32 noundef %23)
  %24 = load ptr, ptr %5, align 8
  %25 = load i64, ptr @words, align 8
  %26 = getelementptr i64, ptr %24, i64 %25
  %27 = load i64, ptr %26, align 8
  store i64 %27, ptr %8, align 8
  %28 = load ptr, ptr %5, align 8
  %29 = load i64, ptr @words, align 8
  %30 = add i64 %29, 1
  %31 = getelementptr i64, ptr %28, i64 %30
  %32 = load i64, ptr %31, align 8
  store i64 %32, ptr %9, align 8
  %33 = load i64, ptr %8, align 8
  %34 = and i64 %33, 65535
  store i64 %34, ptr %10, align 8
  %35 = load i64, ptr @compacted, align 8
  %36 = icmp ne i64 %35, 0
  br i1 %36, label %37, label %52

37:
  %38 = load i64, ptr %9, align 8
  %39 = call { ptr, i64 } @filter_of(ptr noundef %7, i64 noundef %38)
  %40 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 0
  %41 = extractvalue { ptr, i64 } %39, 0
  store ptr %41, ptr %40, align 8
  %42 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 1
  %43 = extractvalue { ptr, i64 } %39, 1
  store i64 %43, ptr %42, align 8
  %44 = load i64, ptr %9, align 8
  %45 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 0
  %46 = load ptr, ptr %45, align 8
  %47 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 1
  %48 = load i64, ptr %47, align 8
  %49 = call i32 @in_filter(ptr %46, i64 %48, i64 noundef %44)
  %50 = icmp ne i32 %49, 0
  br i1 %50, label %51, label %52

51:
  br label %216

52:
  %53 = load i64, ptr %9, align 8
  %54 = call { ptr, i64 } @table_of(ptr noundef %7, i64 noundef %53)
  %55 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 0
  %56 = extractvalue { ptr, i64 } %54, 0
  store ptr %56, ptr %55, align 8
  %57 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 1
  %58 = extractvalue { ptr, i64 } %54, 1
  store i64 %58, ptr %57, align 8
  %59 = load i64, ptr %9, align 8
  %60 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 0
  %61 = load ptr, ptr %60, align 8
  %62 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 1
  %63 = load i64, ptr %62, align 8
  %64 = call i64 @bucket_home(ptr %61, i64 %63, i64 noundef %59)
  store i64 %64, ptr %13, align 8
  br label %65

65:
  br label %66

66:
  %67 = load i64, ptr %13, align 8
  %68 = and i64 %67, -8
  store i64 %68, ptr %14, align 8
  %69 = getelementptr %struct.table, ptr %12, i32 0, i32 0
  %70 = load ptr, ptr %69, align 8
  %71 = load i64, ptr %14, align 8
  %72 = getelementptr i64, ptr %70, i64 %71
  store ptr %72, ptr %15, align 8
  %73 = load ptr, ptr %15, align 8
  %74 = load i64, ptr %9, align 8
  %75 = lshr i64 %74, 32
  %76 = load i32, ptr %6, align 4
  %77 = call { i64, i64 } @shown_by(ptr noundef %73, i64 noundef %75, i32 noundef %76)
  %78 = getelementptr inbounds nuw { i64, i64 }, ptr %16, i32 0, i32 0
  %79 = extractvalue { i64, i64 } %77, 0
  store i64 %79, ptr %78, align 8
  %80 = getelementptr inbounds nuw { i64, i64 }, ptr %16, i32 0, i32 1
  %81 = extractvalue { i64, i64 } %77, 1
  store i64 %81, ptr %80, align 8
  %82 = getelementptr %struct.shown, ptr %16, i32 0, i32 0
  %83 = load i64, ptr %82, align 8
  %84 = getelementptr %struct.shown, ptr %16, i32 0, i32 1
  %85 = load i64, ptr %84, align 8
  %86 = xor i64 %85, -1
  %87 = and i64 %83, %86
  store i64 %87, ptr %17, align 8
  br label %88

88:
  %89 = load i64, ptr %17, align 8
  %90 = icmp ne i64 %89, 0
  br i1 %90, label %91, label %143

91:
  %92 = load ptr, ptr %15, align 8
  %93 = load i64, ptr %17, align 8
  %94 = call i64 @llvm.cttz.i64(i64 %93, i1 true)
  %95 = trunc i64 %94 to i32
  %96 = sext i32 %95 to i64
  %97 = getelementptr i64, ptr %92, i64 %96
  %98 = call i64 @load_slot(ptr noundef %7, ptr noundef %97)
  %99 = call { ptr, i64 } @known_by(ptr noundef %7, i64 noundef %98)
  %100 = getelementptr inbounds nuw { ptr, i64 }, ptr %18, i32 0, i32 0
  %101 = extractvalue { ptr, i64 } %99, 0
  store ptr %101, ptr %100, align 8
  %102 = getelementptr inbounds nuw { ptr, i64 }, ptr %18, i32 0, i32 1
  %103 = extractvalue { ptr, i64 } %99, 1
  store i64 %103, ptr %102, align 8
  %104 = getelementptr %struct.known, ptr %18, i32 0, i32 0
  %105 = load ptr, ptr %104, align 8
  %106 = load ptr, ptr %5, align 8
  %107 = call i64 @differs(ptr noundef %105, ptr noundef %106)
  %108 = icmp ne i64 %107, 0
  br i1 %108, label %109, label %110

109:
  br label %138

110:
  %111 = getelementptr %struct.known, ptr %18, i32 0, i32 1
  %112 = load i64, ptr %111, align 8
  %113 = icmp ne i64 %112, 0
  br i1 %113, label %123, label %114

114:
  %115 = load i64, ptr %10, align 8
  %116 = getelementptr %struct.known, ptr %18, i32 0, i32 0
  %117 = load ptr, ptr %116, align 8
  %118 = load i64, ptr @words, align 8
  %119 = getelementptr i64, ptr %117, i64 %118
  %120 = call i64 @load_slot(ptr noundef %7, ptr noundef %119)
  %121 = and i64 %120, 65535
  %122 = icmp ugt i64 %115, %121
  br i1 %122, label %123, label %124

123:
  br label %216

124:
  %125 = load i32, ptr %6, align 4
  %126 = icmp ne i32 %125, 0
  br i1 %126, label %127, label %132

127:
  %128 = load ptr, ptr %4, align 8
  %129 = getelementptr %struct.known, ptr %18, i32 0, i32 0
  %130 = load ptr, ptr %129, align 8
  %131 = load i64, ptr %8, align 8
  call void @prefer_shared(ptr noundef %128, ptr noundef %130, i64 noundef %131)
  br label %137

132:
  %133 = load ptr, ptr %4, align 8
  %134 = getelementptr %struct.known, ptr %18, i32 0, i32 0
  %135 = load ptr, ptr %134, align 8
  %136 = load i64, ptr %8, align 8
  call void @prefer(ptr noundef %133, ptr noundef %135, i64 noundef %136)
  br label %137

137:
  br label %216

138:
  %139 = load i64, ptr %17, align 8
  %140 = sub i64 %139, 1
  %141 = load i64, ptr %17, align 8
  %142 = and i64 %141, %140
  store i64 %142, ptr %17, align 8
  br label %88, !llvm.loop !8

143:
  %144 = getelementptr %struct.shown, ptr %16, i32 0, i32 1
  %145 = load i64, ptr %144, align 8
  %146 = icmp ne i64 %145, 0
  br i1 %146, label %147, label %155

147:
  %148 = load i64, ptr %14, align 8
  %149 = getelementptr %struct.shown, ptr %16, i32 0, i32 1
  %150 = load i64, ptr %149, align 8
  %151 = call i64 @llvm.cttz.i64(i64 %150, i1 true)
  %152 = trunc i64 %151 to i32
  %153 = sext i32 %152 to i64
  %154 = add i64 %148, %153
  store i64 %154, ptr %13, align 8
  br label %164

155:
  br label %156

156:
  %157 = load i64, ptr %13, align 8
  %158 = and i64 %157, -8
  %159 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 0
  %160 = load ptr, ptr %159, align 8
  %161 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 1
  %162 = load i64, ptr %161, align 8
  %163 = call i64 @after(ptr %160, i64 %162, i64 noundef %158, i64 noundef 8)
  store i64 %163, ptr %13, align 8
  br label %66

164:
  %165 = load i64, ptr @constrained, align 8
  %166 = icmp ne i64 %165, 0
  br i1 %166, label %167, label %174

167:
  %168 = load ptr, ptr %4, align 8
  %169 = load ptr, ptr %5, align 8
  %170 = load i64, ptr %9, align 8
  %171 = call i32 @inside(ptr noundef %168, ptr noundef %169, i64 noundef %170)
  %172 = icmp ne i32 %171, 0
  br i1 %172, label %174, label %173

173:
  br label %216

174:
  %175 = load ptr, ptr %4, align 8
  %176 = getelementptr %struct.context, ptr %175, i32 0, i32 3
  %177 = load i64, ptr %176, align 8
  store i64 %177, ptr %19, align 8
  %178 = load i64, ptr %9, align 8
  %179 = load i64, ptr %19, align 8
  %180 = call i64 @own_slot(ptr noundef %7, i64 noundef %178, i64 noundef %179)
  store i64 %180, ptr %20, align 8
  store i64 0, ptr %21, align 8
  %181 = load ptr, ptr %4, align 8
  %182 = load i64, ptr %19, align 8
  %183 = call ptr @record(ptr noundef %181, i64 noundef %182)
  %184 = load ptr, ptr %5, align 8
  call void @copy(ptr noundef %183, ptr noundef %184, i64 noundef 1)
  %185 = load i32, ptr %6, align 4
  %186 = icmp ne i32 %185, 0
  br i1 %186, label %193, label %187

187:
  %188 = load i64, ptr %20, align 8
  %189 = getelementptr %struct.table, ptr %12, i32 0, i32 0
  %190 = load ptr, ptr %189, align 8
  %191 = load i64, ptr %13, align 8
  %192 = getelementptr i64, ptr %190, i64 %191
  store i64 %188, ptr %192, align 8
  br label %211

193:
  %194 = getelementptr %struct.table, ptr %12, i32 0, i32 0
  %195 = load ptr, ptr %194, align 8
  %196 = load i64, ptr %13, align 8
  %197 = getelementptr i64, ptr %195, i64 %196
  %198 = load i64, ptr %20, align 8
  %199 = call i32 @exchange(ptr noundef %197, ptr noundef %21, i64 noundef %198)
  %200 = icmp ne i32 %199, 0
  br i1 %200, label %202, label %201

201:
  br label %65

202:
  %203 = load ptr, ptr %4, align 8
  %204 = getelementptr %struct.context, ptr %203, i32 0, i32 40
  %205 = load ptr, ptr %204, align 8
  %206 = load i64, ptr %9, align 8
  %207 = call i64 @part_of(ptr noundef %7, i64 noundef %206)
  %208 = getelementptr i64, ptr %205, i64 %207
  %209 = load i64, ptr %208, align 8
  %210 = add i64 %209, 1
  store i64 %210, ptr %208, align 8
  br label %211

211:
  %212 = load i64, ptr %19, align 8
  %213 = add i64 %212, 1
  %214 = load ptr, ptr %4, align 8
  %215 = getelementptr %struct.context, ptr %214, i32 0, i32 3
  store i64 %213, ptr %215, align 8
  br label %216

216:
  ret void
}

define void @insert_entry_shared(ptr noalias noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = load ptr, ptr %4, align 8
  call void @insert_entry_in(ptr noundef %5, ptr noundef %6, i32 noundef 1)
  ret void
}

define void @insert(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2) #3 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  store i64 0, ptr %7, align 8
  br label %9

9:
  %10 = load i64, ptr %7, align 8
  %11 = load i64, ptr %6, align 8
  %12 = icmp ult i64 %10, %11
  br i1 %12, label %13, label %33

13:
  %14 = load ptr, ptr %5, align 8
  %15 = load i64, ptr %7, align 8
  %16 = call ptr @entry(ptr noundef %14, i64 noundef %15)
  store ptr %16, ptr %8, align 8
  %17 = load i64, ptr @dominating, align 8
  %18 = icmp ne i64 %17, 0
  br i1 %18, label %19, label %27

19:
  %20 = load ptr, ptr %4, align 8
  %21 = load ptr, ptr %8, align 8
  %22 = call i64 @place_hash(ptr noundef %20, ptr noundef %21)
  %23 = load ptr, ptr %8, align 8
  %24 = load i64, ptr @words, align 8
  %25 = add i64 %24, 1
  %26 = getelementptr i64, ptr %23, i64 %25
  store i64 %22, ptr %26, align 8
  br label %27

27:
  %28 = load ptr, ptr %4, align 8
  %29 = load ptr, ptr %8, align 8
  call void @insert_entry(ptr noundef %28, ptr noundef %29)
  br label %30

30:
  %31 = load i64, ptr %7, align 8
  %32 = add i64 %31, 1
  store i64 %32, ptr %7, align 8
  br label %9, !llvm.loop !9

33:
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

define internal i64 @place_hash(ptr noundef %0, ptr noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %5 = load i64, ptr @dominating, align 8
  %6 = icmp ne i64 %5, 0
  br i1 %6, label %7, label %15

7:
  %8 = load ptr, ptr %3, align 8
  %9 = load ptr, ptr %4, align 8
  %10 = call i64 @core_hash(ptr noundef %8, ptr noundef %9)
  %11 = load ptr, ptr %3, align 8
  %12 = load ptr, ptr %4, align 8
  %13 = call i64 @rank_of(ptr noundef %11, ptr noundef %12)
  %14 = call i64 @ranked(i64 noundef %10, i64 noundef %13)
  br label %18

15:
  %16 = load ptr, ptr %4, align 8
  %17 = call i64 @hash_of(ptr noundef %16)
  br label %18

18:
  %19 = phi i64 [ %14, %7 ], [ %17, %15 ]
  ret i64 %19
}

define void @add_states(ptr noalias noundef %0, i64 noundef %1, i64 noundef %2) #3 {
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  store i64 0, ptr %7, align 8
  store i64 0, ptr %8, align 8
  %10 = load i64, ptr %5, align 8
  store i64 %10, ptr %9, align 8
  br label %11

11:
  %12 = load i64, ptr %9, align 8
  %13 = load i64, ptr %6, align 8
  %14 = icmp ult i64 %12, %13
  br i1 %14, label %15, label %31

15:
  %16 = load ptr, ptr %4, align 8
  %17 = load i64, ptr %9, align 8
  %18 = call ptr @record(ptr noundef %16, i64 noundef %17)
  %19 = call i64 @hash_lane(ptr noundef %18, i32 noundef 0)
  %20 = load i64, ptr %7, align 8
  %21 = add i64 %20, %19
  store i64 %21, ptr %7, align 8
  %22 = load ptr, ptr %4, align 8
  %23 = load i64, ptr %9, align 8
  %24 = call ptr @record(ptr noundef %22, i64 noundef %23)
  %25 = call i64 @hash_lane(ptr noundef %24, i32 noundef 1)
  %26 = load i64, ptr %8, align 8
  %27 = add i64 %26, %25
  store i64 %27, ptr %8, align 8
  br label %28

28:
  %29 = load i64, ptr %9, align 8
  %30 = add i64 %29, 1
  store i64 %30, ptr %9, align 8
  br label %11, !llvm.loop !10

31:
  %32 = load i64, ptr %7, align 8
  %33 = load ptr, ptr %4, align 8
  %34 = getelementptr %struct.context, ptr %33, i32 0, i32 21
  %35 = load i64, ptr %34, align 8
  %36 = add i64 %35, %32
  store i64 %36, ptr %34, align 8
  %37 = load i64, ptr %8, align 8
  %38 = load ptr, ptr %4, align 8
  %39 = getelementptr %struct.context, ptr %38, i32 0, i32 22
  %40 = load i64, ptr %39, align 8
  %41 = add i64 %40, %37
  store i64 %41, ptr %39, align 8
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

define internal ptr @record(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr %struct.context, ptr %5, i32 0, i32 0
  %7 = load ptr, ptr %6, align 8
  %8 = load i64, ptr %4, align 8
  %9 = load i64, ptr @words, align 8
  %10 = add i64 %9, 1
  %11 = mul i64 %8, %10
  %12 = getelementptr i64, ptr %7, i64 %11
  ret ptr %12
}

define i64 @evaluate(ptr noalias noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3) #3 {
  %5 = alloca i64, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  store ptr %0, ptr %6, align 8
  store i64 %1, ptr %7, align 8
  store i64 %2, ptr %8, align 8
  store i64 %3, ptr %9, align 8
  %12 = load i64, ptr %7, align 8
  store i64 %12, ptr %10, align 8
  %13 = load ptr, ptr %6, align 8
  %14 = getelementptr %struct.context, ptr %13, i32 0, i32 30
  %15 = load ptr, ptr %14, align 8
  %16 = icmp ne ptr %15, null
  br i1 %16, label %17, label %63

17:
  br label %18

18:
  %19 = load i64, ptr %10, align 8
  %20 = add i64 %19, 8
  %21 = load i64, ptr %8, align 8
  %22 = icmp ule i64 %20, %21
  br i1 %22, label %23, label %54

23:
  %24 = load ptr, ptr %6, align 8
  %25 = getelementptr %struct.context, ptr %24, i32 0, i32 30
  %26 = load ptr, ptr %25, align 8
  %27 = load ptr, ptr %6, align 8
  %28 = load i64, ptr %10, align 8
  %29 = call ptr @record(ptr noundef %27, i64 noundef %28)
  %30 = call i64 %26(ptr noundef %29)
  %31 = load ptr, ptr %6, align 8
  %32 = getelementptr %struct.context, ptr %31, i32 0, i32 8
  %33 = load i64, ptr %32, align 8
  %34 = and i64 %30, %33
  %35 = icmp ne i64 %34, 0
  br i1 %35, label %36, label %50

36:
  %37 = load i64, ptr %10, align 8
  store i64 %37, ptr %11, align 8
  br label %38

38:
  %39 = load i64, ptr %11, align 8
  %40 = load i64, ptr %10, align 8
  %41 = add i64 %40, 8
  %42 = icmp ult i64 %39, %41
  br i1 %42, label %43, label %49

43:
  %44 = load ptr, ptr %6, align 8
  %45 = load i64, ptr %11, align 8
  call void @evaluate_record(ptr noundef %44, i64 noundef %45)
  br label %46

46:
  %47 = load i64, ptr %11, align 8
  %48 = add i64 %47, 1
  store i64 %48, ptr %11, align 8
  br label %38, !llvm.loop !11

49:
  br label %50

50:
  br label %51

51:
  %52 = load i64, ptr %10, align 8
  %53 = add i64 %52, 8
  store i64 %53, ptr %10, align 8
  br label %18, !llvm.loop !12

54:
  %55 = load i64, ptr %9, align 8
  %56 = icmp ne i64 %55, 0
  br i1 %56, label %62, label %57

57:
  %58 = load ptr, ptr %6, align 8
  %59 = load i64, ptr %7, align 8
  %60 = load i64, ptr %10, align 8
  call void @add_states(ptr noundef %58, i64 noundef %59, i64 noundef %60)
  %61 = load i64, ptr %10, align 8
  store i64 %61, ptr %5, align 8
  br label %79

62:
  br label %63

63:
  br label %64

64:
  %65 = load i64, ptr %10, align 8
  %66 = load i64, ptr %8, align 8
  %67 = icmp ult i64 %65, %66
  br i1 %67, label %68, label %74

68:
  %69 = load ptr, ptr %6, align 8
  %70 = load i64, ptr %10, align 8
  call void @evaluate_record(ptr noundef %69, i64 noundef %70)
  br label %71

71:
  %72 = load i64, ptr %10, align 8
  %73 = add i64 %72, 1
  store i64 %73, ptr %10, align 8
  br label %64, !llvm.loop !13

74:
  %75 = load ptr, ptr %6, align 8
  %76 = load i64, ptr %7, align 8
  %77 = load i64, ptr %8, align 8
  call void @add_states(ptr noundef %75, i64 noundef %76, i64 noundef %77)
  %78 = load i64, ptr %8, align 8
  store i64 %78, ptr %5, align 8
  br label %79

79:
  %80 = load i64, ptr %5, align 8
  ret i64 %80
}

define internal void @evaluate_record(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %7 = load ptr, ptr %3, align 8
  %8 = load i64, ptr %4, align 8
  %9 = call ptr @record(ptr noundef %7, i64 noundef %8)
  store ptr %9, ptr %5, align 8
  %10 = load ptr, ptr %3, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 29
  %12 = load ptr, ptr %11, align 8
  %13 = load ptr, ptr %5, align 8
  %14 = load ptr, ptr %3, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 8
  %16 = load i64, ptr %15, align 8
  %17 = call i64 %12(ptr noundef %13, i64 noundef %16)
  store i64 %17, ptr %6, align 8
  %18 = load i64, ptr %6, align 8
  %19 = icmp ne i64 %18, 0
  br i1 %19, label %20, label %30

20:
  %21 = load ptr, ptr %3, align 8
  %22 = load i64, ptr %6, align 8
  %23 = load ptr, ptr %5, align 8
  %24 = call i64 @hash_of(ptr noundef %23)
  %25 = load ptr, ptr %3, align 8
  %26 = getelementptr %struct.context, ptr %25, i32 0, i32 34
  %27 = load i64, ptr %26, align 8
  %28 = load i64, ptr %4, align 8
  %29 = call i64 @name_of(i64 noundef %27, i64 noundef %28)
  call void @note_state(ptr noundef %21, i64 noundef %22, i64 noundef %24, i64 noundef %29, i64 noundef -1, i64 noundef 0, i64 noundef 0)
  br label %30

30:
  ret void
}

define void @count_discovered(ptr noalias noundef %0, i64 noundef %1, i64 noundef %2, ptr noundef %3) #3 {
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store i64 %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store ptr %3, ptr %8, align 8
  %11 = load ptr, ptr %5, align 8
  %12 = getelementptr %struct.context, ptr %11, i32 0, i32 0
  %13 = load ptr, ptr %12, align 8
  store ptr %13, ptr %9, align 8
  %14 = load i64, ptr %6, align 8
  store i64 %14, ptr %10, align 8
  br label %15

15:
  %16 = load i64, ptr %10, align 8
  %17 = load i64, ptr %7, align 8
  %18 = icmp ult i64 %16, %17
  br i1 %18, label %19, label %37

19:
  %20 = load ptr, ptr %8, align 8
  %21 = load ptr, ptr %9, align 8
  %22 = load i64, ptr %10, align 8
  %23 = load i64, ptr @words, align 8
  %24 = add i64 %23, 1
  %25 = mul i64 %22, %24
  %26 = load i64, ptr @words, align 8
  %27 = add i64 %25, %26
  %28 = getelementptr i64, ptr %21, i64 %27
  %29 = load i64, ptr %28, align 8
  %30 = and i64 %29, 65535
  %31 = getelementptr i64, ptr %20, i64 %30
  %32 = load i64, ptr %31, align 8
  %33 = add i64 %32, 1
  store i64 %33, ptr %31, align 8
  br label %34

34:
  %35 = load i64, ptr %10, align 8
  %36 = add i64 %35, 1
  store i64 %36, ptr %10, align 8
  br label %15, !llvm.loop !14

37:
  ret void
}

define i64 @trial(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3) #3 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i64 %3, ptr %8, align 8
  store i64 0, ptr %9, align 8
  %12 = load ptr, ptr %6, align 8
  %13 = icmp ne ptr %12, null
  br i1 %13, label %14, label %32

14:
  %15 = load i64, ptr %7, align 8
  store i64 %15, ptr %10, align 8
  br label %16

16:
  %17 = load i64, ptr %10, align 8
  %18 = load i64, ptr %8, align 8
  %19 = icmp ult i64 %17, %18
  br i1 %19, label %20, label %31

20:
  %21 = load ptr, ptr %6, align 8
  %22 = load ptr, ptr %5, align 8
  %23 = load i64, ptr %10, align 8
  %24 = call ptr @record(ptr noundef %22, i64 noundef %23)
  %25 = call i64 %21(ptr noundef %24)
  %26 = load i64, ptr %9, align 8
  %27 = or i64 %26, %25
  store i64 %27, ptr %9, align 8
  br label %28

28:
  %29 = load i64, ptr %10, align 8
  %30 = add i64 %29, 8
  store i64 %30, ptr %10, align 8
  br label %16, !llvm.loop !15

31:
  br label %55

32:
  %33 = load i64, ptr %7, align 8
  store i64 %33, ptr %11, align 8
  br label %34

34:
  %35 = load i64, ptr %11, align 8
  %36 = load i64, ptr %8, align 8
  %37 = icmp ult i64 %35, %36
  br i1 %37, label %38, label %54

38:
  %39 = load ptr, ptr %5, align 8
  %40 = getelementptr %struct.context, ptr %39, i32 0, i32 29
  %41 = load ptr, ptr %40, align 8
  %42 = load ptr, ptr %5, align 8
  %43 = load i64, ptr %11, align 8
  %44 = call ptr @record(ptr noundef %42, i64 noundef %43)
  %45 = load ptr, ptr %5, align 8
  %46 = getelementptr %struct.context, ptr %45, i32 0, i32 8
  %47 = load i64, ptr %46, align 8
  %48 = call i64 %41(ptr noundef %44, i64 noundef %47)
  %49 = load i64, ptr %9, align 8
  %50 = or i64 %49, %48
  store i64 %50, ptr %9, align 8
  br label %51

51:
  %52 = load i64, ptr %11, align 8
  %53 = add i64 %52, 1
  store i64 %53, ptr %11, align 8
  br label %34, !llvm.loop !16

54:
  br label %55

55:
  %56 = load i64, ptr %9, align 8
  %57 = load ptr, ptr %5, align 8
  %58 = getelementptr %struct.context, ptr %57, i32 0, i32 8
  %59 = load i64, ptr %58, align 8
  %60 = and i64 %56, %59
  ret i64 %60
}

define void @take_one(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2) #3 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %11 = load ptr, ptr %4, align 8
  %12 = getelementptr %struct.context, ptr %11, i32 0, i32 13
  %13 = load i64, ptr %12, align 8
  store i64 %13, ptr %7, align 8
  %14 = load ptr, ptr %4, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 15
  %16 = load i64, ptr %15, align 8
  store i64 %16, ptr %8, align 8
  %17 = load ptr, ptr %4, align 8
  %18 = getelementptr %struct.context, ptr %17, i32 0, i32 28
  %19 = load ptr, ptr %18, align 8
  %20 = load ptr, ptr %5, align 8
  %21 = load ptr, ptr %4, align 8
  %22 = getelementptr %struct.context, ptr %21, i32 0, i32 9
  %23 = load ptr, ptr %22, align 8
  %24 = load i64, ptr %7, align 8
  %25 = call ptr @entry(ptr noundef %23, i64 noundef %24)
  %26 = load ptr, ptr %4, align 8
  %27 = getelementptr %struct.context, ptr %26, i32 0, i32 8
  %28 = load i64, ptr %27, align 8
  %29 = call i64 %19(ptr noundef %20, ptr noundef %25, i64 noundef %28)
  store i64 %29, ptr %9, align 8
  %30 = load i64, ptr %7, align 8
  %31 = load i64, ptr %9, align 8
  %32 = add i64 %30, %31
  store i64 %32, ptr %10, align 8
  %33 = load ptr, ptr %4, align 8
  %34 = load i64, ptr %8, align 8
  %35 = load i64, ptr %9, align 8
  %36 = load i64, ptr %10, align 8
  %37 = load i64, ptr %6, align 8
  %38 = load ptr, ptr %5, align 8
  %39 = call i64 @hash_of(ptr noundef %38)
  %40 = call i64 @add_origin(ptr noundef %33, i64 noundef %34, i64 noundef %35, i64 noundef %36, i64 noundef %37, i64 noundef %39)
  %41 = load ptr, ptr %4, align 8
  %42 = getelementptr %struct.context, ptr %41, i32 0, i32 15
  store i64 %40, ptr %42, align 8
  %43 = load i64, ptr %10, align 8
  %44 = load ptr, ptr %4, align 8
  %45 = getelementptr %struct.context, ptr %44, i32 0, i32 13
  store i64 %43, ptr %45, align 8
  %46 = load i64, ptr %9, align 8
  %47 = icmp eq i64 %46, 0
  %48 = zext i1 %47 to i32
  %49 = sext i32 %48 to i64
  %50 = load ptr, ptr %4, align 8
  %51 = getelementptr %struct.context, ptr %50, i32 0, i32 19
  %52 = load i64, ptr %51, align 8
  %53 = add i64 %52, %49
  store i64 %53, ptr %51, align 8
  ret void
}

define internal i64 @add_origin(ptr noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5) #1 {
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca ptr, align 8
  store ptr %0, ptr %7, align 8
  store i64 %1, ptr %8, align 8
  store i64 %2, ptr %9, align 8
  store i64 %3, ptr %10, align 8
  store i64 %4, ptr %11, align 8
  store i64 %5, ptr %12, align 8
  %14 = load ptr, ptr %7, align 8
  %15 = getelementptr %struct.context, ptr %14, i32 0, i32 14
  %16 = load ptr, ptr %15, align 8
  %17 = load i64, ptr %8, align 8
  %18 = mul i64 %17, 3
  %19 = getelementptr i64, ptr %16, i64 %18
  store ptr %19, ptr %13, align 8
  %20 = load i64, ptr %10, align 8
  %21 = load ptr, ptr %13, align 8
  %22 = getelementptr i64, ptr %21, i64 0
  store i64 %20, ptr %22, align 8
  %23 = load i64, ptr %11, align 8
  %24 = load ptr, ptr %13, align 8
  %25 = getelementptr i64, ptr %24, i64 1
  store i64 %23, ptr %25, align 8
  %26 = load i64, ptr %12, align 8
  %27 = load ptr, ptr %13, align 8
  %28 = getelementptr i64, ptr %27, i64 2
  store i64 %26, ptr %28, align 8
  %29 = load i64, ptr %8, align 8
  %30 = load i64, ptr %9, align 8
  %31 = icmp ne i64 %30, 0
  %32 = zext i1 %31 to i32
  %33 = sext i32 %32 to i64
  %34 = add i64 %29, %33
  ret i64 %34
}

define internal i64 @hash_of(ptr noundef %0) #1 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = call i64 @hash_bits(ptr noundef %3, ptr noundef null, i32 noundef 0)
  ret i64 %4
}

define i64 @take_eight(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2) #3 {
  %4 = alloca i64, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca ptr, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca ptr, align 8
  %15 = alloca ptr, align 8
  %16 = alloca i64, align 8
  %17 = alloca i64, align 8
  %18 = alloca ptr, align 8
  %19 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  %20 = load ptr, ptr %5, align 8
  %21 = load ptr, ptr %6, align 8
  %22 = call i64 @take_columns(ptr noundef %20, ptr noundef %21)
  store i64 %22, ptr %8, align 8
  %23 = load i64, ptr %8, align 8
  %24 = icmp eq i64 %23, -1
  br i1 %24, label %25, label %26

25:
  store i64 0, ptr %4, align 8
  br label %135

26:
  %27 = load ptr, ptr %5, align 8
  %28 = getelementptr %struct.context, ptr %27, i32 0, i32 13
  %29 = load i64, ptr %28, align 8
  store i64 %29, ptr %9, align 8
  %30 = load ptr, ptr %5, align 8
  %31 = getelementptr %struct.context, ptr %30, i32 0, i32 15
  %32 = load i64, ptr %31, align 8
  store i64 %32, ptr %10, align 8
  %33 = load ptr, ptr %5, align 8
  %34 = getelementptr %struct.context, ptr %33, i32 0, i32 16
  %35 = load ptr, ptr %34, align 8
  store ptr %35, ptr %11, align 8
  %36 = load ptr, ptr %5, align 8
  %37 = getelementptr %struct.context, ptr %36, i32 0, i32 17
  %38 = load i64, ptr %37, align 8
  store i64 %38, ptr %12, align 8
  %39 = load ptr, ptr %5, align 8
  %40 = load ptr, ptr %6, align 8
  %41 = load i64, ptr %9, align 8
  %42 = call i64 @place(ptr noundef %39, ptr noundef %40, i64 noundef %41)
  %43 = load ptr, ptr %5, align 8
  %44 = getelementptr %struct.context, ptr %43, i32 0, i32 13
  store i64 %42, ptr %44, align 8
  store i64 0, ptr %13, align 8
  br label %45

45:
  %46 = load i64, ptr %13, align 8
  %47 = icmp ult i64 %46, 8
  br i1 %47, label %48, label %75

48:
  %49 = load ptr, ptr %11, align 8
  %50 = load i64, ptr %13, align 8
  %51 = getelementptr i64, ptr %49, i64 %50
  %52 = load i64, ptr %51, align 8
  %53 = load i64, ptr %9, align 8
  %54 = add i64 %53, %52
  store i64 %54, ptr %9, align 8
  %55 = load ptr, ptr %5, align 8
  %56 = load i64, ptr %10, align 8
  %57 = load ptr, ptr %11, align 8
  %58 = load i64, ptr %13, align 8
  %59 = getelementptr i64, ptr %57, i64 %58
  %60 = load i64, ptr %59, align 8
  %61 = load i64, ptr %9, align 8
  %62 = load ptr, ptr %5, align 8
  %63 = load i64, ptr %7, align 8
  %64 = load i64, ptr %13, align 8
  %65 = call i64 @name_at(ptr noundef %62, i64 noundef %63, i64 noundef %64)
  %66 = load ptr, ptr %11, align 8
  %67 = load i64, ptr %13, align 8
  %68 = add i64 16, %67
  %69 = getelementptr i64, ptr %66, i64 %68
  %70 = load i64, ptr %69, align 8
  %71 = call i64 @add_origin(ptr noundef %55, i64 noundef %56, i64 noundef %60, i64 noundef %61, i64 noundef %65, i64 noundef %70)
  store i64 %71, ptr %10, align 8
  br label %72

72:
  %73 = load i64, ptr %13, align 8
  %74 = add i64 %73, 1
  store i64 %74, ptr %13, align 8
  br label %45, !llvm.loop !17

75:
  %76 = load i64, ptr %10, align 8
  %77 = load ptr, ptr %5, align 8
  %78 = getelementptr %struct.context, ptr %77, i32 0, i32 15
  store i64 %76, ptr %78, align 8
  %79 = load ptr, ptr %11, align 8
  %80 = getelementptr i64, ptr %79, i64 24
  store ptr %80, ptr %14, align 8
  %81 = load ptr, ptr %5, align 8
  %82 = getelementptr %struct.context, ptr %81, i32 0, i32 9
  %83 = load ptr, ptr %82, align 8
  store ptr %83, ptr %15, align 8
  store i64 0, ptr %16, align 8
  br label %84

84:
  %85 = load i64, ptr %16, align 8
  %86 = load i64, ptr %8, align 8
  %87 = icmp ult i64 %85, %86
  br i1 %87, label %88, label %134

88:
  %89 = load ptr, ptr %14, align 8
  %90 = load i64, ptr %12, align 8
  %91 = load i64, ptr @words, align 8
  %92 = mul i64 %90, %91
  %93 = load i64, ptr %16, align 8
  %94 = add i64 %92, %93
  %95 = getelementptr i64, ptr %89, i64 %94
  %96 = load i64, ptr %95, align 8
  store i64 %96, ptr %17, align 8
  %97 = load ptr, ptr %15, align 8
  %98 = load ptr, ptr %11, align 8
  %99 = load i64, ptr %17, align 8
  %100 = lshr i64 %99, 16
  %101 = add i64 8, %100
  %102 = getelementptr i64, ptr %98, i64 %101
  %103 = load i64, ptr %102, align 8
  %104 = add i64 %103, 1
  store i64 %104, ptr %102, align 8
  %105 = call ptr @entry(ptr noundef %97, i64 noundef %103)
  store ptr %105, ptr %18, align 8
  store i64 0, ptr %19, align 8
  br label %106

106:
  %107 = load i64, ptr %19, align 8
  %108 = load i64, ptr @words, align 8
  %109 = icmp ult i64 %107, %108
  br i1 %109, label %110, label %125

110:
  %111 = load ptr, ptr %14, align 8
  %112 = load i64, ptr %12, align 8
  %113 = load i64, ptr %19, align 8
  %114 = mul i64 %112, %113
  %115 = load i64, ptr %16, align 8
  %116 = add i64 %114, %115
  %117 = getelementptr i64, ptr %111, i64 %116
  %118 = load i64, ptr %117, align 8
  %119 = load ptr, ptr %18, align 8
  %120 = load i64, ptr %19, align 8
  %121 = getelementptr i64, ptr %119, i64 %120
  store i64 %118, ptr %121, align 8
  br label %122

122:
  %123 = load i64, ptr %19, align 8
  %124 = add i64 %123, 1
  store i64 %124, ptr %19, align 8
  br label %106, !llvm.loop !18

125:
  %126 = load i64, ptr %17, align 8
  %127 = and i64 %126, 65535
  %128 = load ptr, ptr %18, align 8
  %129 = load i64, ptr @words, align 8
  %130 = getelementptr i64, ptr %128, i64 %129
  store i64 %127, ptr %130, align 8
  br label %131

131:
  %132 = load i64, ptr %16, align 8
  %133 = add i64 %132, 1
  store i64 %133, ptr %16, align 8
  br label %84, !llvm.loop !20

134:
  store i64 1, ptr %4, align 8
  br label %135

135:
  %136 = load i64, ptr %4, align 8
  ret i64 %136
}

define internal i64 @take_columns(ptr noundef %0, ptr noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr %struct.context, ptr %5, i32 0, i32 31
  %7 = load ptr, ptr %6, align 8
  %8 = load ptr, ptr %4, align 8
  %9 = load ptr, ptr %3, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 16
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr i64, ptr %11, i64 24
  %13 = load ptr, ptr %3, align 8
  %14 = getelementptr %struct.context, ptr %13, i32 0, i32 17
  %15 = load i64, ptr %14, align 8
  %16 = load ptr, ptr %3, align 8
  %17 = getelementptr %struct.context, ptr %16, i32 0, i32 16
  %18 = load ptr, ptr %17, align 8
  %19 = load ptr, ptr %3, align 8
  %20 = getelementptr %struct.context, ptr %19, i32 0, i32 8
  %21 = load i64, ptr %20, align 8
  %22 = call i64 %7(ptr noundef %8, ptr noundef %12, i64 noundef %15, ptr noundef %18, i64 noundef %21)
  ret i64 %22
}

define internal i64 @place(ptr noundef %0, ptr noundef %1, i64 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %10 = load ptr, ptr %4, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 16
  %12 = load ptr, ptr %11, align 8
  store ptr %12, ptr %7, align 8
  store i32 0, ptr %8, align 4
  br label %13

13:
  %14 = load i32, ptr %8, align 4
  %15 = icmp slt i32 %14, 8
  br i1 %15, label %16, label %33

16:
  %17 = load ptr, ptr %5, align 8
  %18 = load i32, ptr %8, align 4
  %19 = sext i32 %18 to i64
  %20 = load i64, ptr @words, align 8
  %21 = add i64 %20, 1
  %22 = mul i64 %19, %21
  %23 = getelementptr i64, ptr %17, i64 %22
  %24 = call i64 @hash_of(ptr noundef %23)
  %25 = load ptr, ptr %7, align 8
  %26 = load i32, ptr %8, align 4
  %27 = add i32 16, %26
  %28 = sext i32 %27 to i64
  %29 = getelementptr i64, ptr %25, i64 %28
  store i64 %24, ptr %29, align 8
  br label %30

30:
  %31 = load i32, ptr %8, align 4
  %32 = add i32 %31, 1
  store i32 %32, ptr %8, align 4
  br label %13, !llvm.loop !21

33:
  store i32 0, ptr %9, align 4
  br label %34

34:
  %35 = load i32, ptr %9, align 4
  %36 = icmp slt i32 %35, 8
  br i1 %36, label %37, label %53

37:
  %38 = load ptr, ptr %7, align 8
  %39 = load i32, ptr %9, align 4
  %40 = sext i32 %39 to i64
  %41 = getelementptr i64, ptr %38, i64 %40
  %42 = load i64, ptr %41, align 8
  %43 = icmp eq i64 %42, 0
  %44 = zext i1 %43 to i32
  %45 = sext i32 %44 to i64
  %46 = load ptr, ptr %4, align 8
  %47 = getelementptr %struct.context, ptr %46, i32 0, i32 19
  %48 = load i64, ptr %47, align 8
  %49 = add i64 %48, %45
  store i64 %49, ptr %47, align 8
  br label %50

50:
  %51 = load i32, ptr %9, align 4
  %52 = add i32 %51, 1
  store i32 %52, ptr %9, align 4
  br label %34, !llvm.loop !22

53:
  %54 = load ptr, ptr %7, align 8
  %55 = load i64, ptr %6, align 8
  %56 = call i64 @place_lanes(ptr noundef %54, i64 noundef %55)
  ret i64 %56
}

define internal i64 @name_at(ptr noundef %0, i64 noundef %1, i64 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load i64, ptr @dominating, align 8
  %8 = icmp ne i64 %7, 0
  br i1 %8, label %9, label %16

9:
  %10 = load ptr, ptr %4, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 56
  %12 = load ptr, ptr %11, align 8
  %13 = load i64, ptr %6, align 8
  %14 = getelementptr i64, ptr %12, i64 %13
  %15 = load i64, ptr %14, align 8
  br label %20

16:
  %17 = load i64, ptr %5, align 8
  %18 = load i64, ptr %6, align 8
  %19 = add i64 %17, %18
  br label %20

20:
  %21 = phi i64 [ %15, %9 ], [ %19, %16 ]
  ret i64 %21
}

define void @take(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3) #3 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i64 %3, ptr %8, align 8
  %9 = load i64, ptr %8, align 8
  %10 = icmp eq i64 %9, 8
  br i1 %10, label %11, label %23

11:
  %12 = load ptr, ptr %5, align 8
  %13 = getelementptr %struct.context, ptr %12, i32 0, i32 31
  %14 = load ptr, ptr %13, align 8
  %15 = icmp ne ptr %14, null
  br i1 %15, label %16, label %23

16:
  %17 = load ptr, ptr %5, align 8
  %18 = load ptr, ptr %6, align 8
  %19 = load i64, ptr %7, align 8
  %20 = call i64 @take_eight(ptr noundef %17, ptr noundef %18, i64 noundef %19)
  %21 = icmp ne i64 %20, 0
  br i1 %21, label %22, label %23

22:
  br label %28

23:
  %24 = load ptr, ptr %5, align 8
  %25 = load ptr, ptr %6, align 8
  %26 = load i64, ptr %7, align 8
  %27 = load i64, ptr %8, align 8
  call void @take_each(ptr noundef %24, ptr noundef %25, i64 noundef %26, i64 noundef %27)
  br label %28

28:
  ret void
}

define internal void @take_each(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i64 %3, ptr %8, align 8
  store i64 0, ptr %9, align 8
  br label %10

10:
  %11 = load i64, ptr %9, align 8
  %12 = load i64, ptr %8, align 8
  %13 = icmp ult i64 %11, %12
  br i1 %13, label %14, label %29

14:
  %15 = load ptr, ptr %5, align 8
  %16 = load ptr, ptr %6, align 8
  %17 = load i64, ptr %9, align 8
  %18 = load i64, ptr @words, align 8
  %19 = add i64 %18, 1
  %20 = mul i64 %17, %19
  %21 = getelementptr i64, ptr %16, i64 %20
  %22 = load ptr, ptr %5, align 8
  %23 = load i64, ptr %7, align 8
  %24 = load i64, ptr %9, align 8
  %25 = call i64 @name_at(ptr noundef %22, i64 noundef %23, i64 noundef %24)
  call void @take_one(ptr noundef %15, ptr noundef %21, i64 noundef %25)
  br label %26

26:
  %27 = load i64, ptr %9, align 8
  %28 = add i64 %27, 1
  store i64 %28, ptr %9, align 8
  br label %10, !llvm.loop !23

29:
  ret void
}

define void @trial_steps(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3) #3 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i64 %3, ptr %8, align 8
  %13 = load ptr, ptr %5, align 8
  %14 = getelementptr %struct.context, ptr %13, i32 0, i32 31
  %15 = load ptr, ptr %14, align 8
  store ptr %15, ptr %9, align 8
  %16 = load ptr, ptr %5, align 8
  %17 = getelementptr %struct.context, ptr %16, i32 0, i32 19
  %18 = load i64, ptr %17, align 8
  store i64 %18, ptr %10, align 8
  %19 = load ptr, ptr %6, align 8
  %20 = load ptr, ptr %5, align 8
  %21 = getelementptr %struct.context, ptr %20, i32 0, i32 31
  store ptr %19, ptr %21, align 8
  %22 = load i64, ptr %7, align 8
  store i64 %22, ptr %11, align 8
  br label %23

23:
  %24 = load i64, ptr %11, align 8
  %25 = load i64, ptr %8, align 8
  %26 = icmp ult i64 %24, %25
  br i1 %26, label %27, label %48

27:
  %28 = load ptr, ptr %5, align 8
  %29 = getelementptr %struct.context, ptr %28, i32 0, i32 12
  %30 = load i64, ptr %29, align 8
  %31 = load i64, ptr %8, align 8
  %32 = load i64, ptr %11, align 8
  %33 = sub i64 %31, %32
  %34 = call i64 @least(i64 noundef %30, i64 noundef %33)
  store i64 %34, ptr %12, align 8
  %35 = load ptr, ptr %5, align 8
  %36 = getelementptr %struct.context, ptr %35, i32 0, i32 15
  store i64 0, ptr %36, align 8
  %37 = load ptr, ptr %5, align 8
  %38 = getelementptr %struct.context, ptr %37, i32 0, i32 13
  store i64 0, ptr %38, align 8
  %39 = load ptr, ptr %5, align 8
  %40 = load ptr, ptr %5, align 8
  %41 = load i64, ptr %11, align 8
  %42 = call ptr @record(ptr noundef %40, i64 noundef %41)
  %43 = load i64, ptr %11, align 8
  %44 = load i64, ptr %12, align 8
  call void @take(ptr noundef %39, ptr noundef %42, i64 noundef %43, i64 noundef %44)
  %45 = load i64, ptr %12, align 8
  %46 = load i64, ptr %11, align 8
  %47 = add i64 %46, %45
  store i64 %47, ptr %11, align 8
  br label %23, !llvm.loop !24

48:
  %49 = load ptr, ptr %9, align 8
  %50 = load ptr, ptr %5, align 8
  %51 = getelementptr %struct.context, ptr %50, i32 0, i32 31
  store ptr %49, ptr %51, align 8
  %52 = load i64, ptr %10, align 8
  %53 = load ptr, ptr %5, align 8
  %54 = getelementptr %struct.context, ptr %53, i32 0, i32 19
  store i64 %52, ptr %54, align 8
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

define i64 @gather(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2) #3 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = load ptr, ptr %5, align 8
  %9 = load i64, ptr %6, align 8
  %10 = call i64 @gather_in(ptr noundef %7, ptr noundef %8, i64 noundef %9, i32 noundef 0)
  ret i64 %10
}

define internal i64 @gather_in(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i32, align 4
  %9 = alloca %struct.visited, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca ptr, align 8
  %14 = alloca ptr, align 8
  %15 = alloca ptr, align 8
  %16 = alloca i64, align 8
  %17 = alloca ptr, align 8
  %18 = alloca ptr, align 8
  %19 = alloca i64, align 8
  %20 = alloca i64, align 8
  %21 = alloca i64, align 8
  %22 = alloca i64, align 8
  %23 = alloca i64, align 8
  %24 = alloca %struct.step_lanes, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i32 %3, ptr %8, align 4
  %25 = load ptr, ptr %5, align 8
  %26 = load i32, ptr %8, align 4
  call void @visited_at_entry(ptr dead_on_unwind writable sret(%struct.visited) align 8 %9, ptr noundef %25, i32 noundef %26)
  store i64 0, ptr %10, align 8
  store i64 0, ptr %11, align 8
  store i64 0, ptr %12, align 8
  %27 = load ptr, ptr %5, align 8
  %28 = getelementptr %struct.context, ptr %27, i32 0, i32 9
  %29 = load ptr, ptr %28, align 8
  store ptr %29, ptr %13, align 8
  %30 = load ptr, ptr %5, align 8
  %31 = getelementptr %struct.context, ptr %30, i32 0, i32 14
  %32 = load ptr, ptr %31, align 8
  store ptr %32, ptr %14, align 8
  %33 = load ptr, ptr %5, align 8
  %34 = getelementptr %struct.context, ptr %33, i32 0, i32 25
  %35 = load ptr, ptr %34, align 8
  store ptr %35, ptr %15, align 8
  %36 = load i64, ptr @symmetric, align 8
  %37 = icmp ne i64 %36, 0
  br i1 %37, label %38, label %44

38:
  %39 = load ptr, ptr %5, align 8
  %40 = getelementptr %struct.context, ptr %39, i32 0, i32 33
  %41 = load ptr, ptr %40, align 8
  %42 = load ptr, ptr %13, align 8
  %43 = load i64, ptr %7, align 8
  call void %41(ptr noundef %42, i64 noundef %43)
  br label %44

44:
  store i64 0, ptr %16, align 8
  br label %45

45:
  %46 = load i64, ptr %16, align 8
  %47 = load i64, ptr %7, align 8
  %48 = icmp ult i64 %46, %47
  br i1 %48, label %49, label %148

49:
  %50 = load ptr, ptr %13, align 8
  %51 = load i64, ptr %16, align 8
  %52 = call ptr @entry(ptr noundef %50, i64 noundef %51)
  store ptr %52, ptr %17, align 8
  %53 = load ptr, ptr %6, align 8
  %54 = load i64, ptr %10, align 8
  %55 = call ptr @entry(ptr noundef %53, i64 noundef %54)
  store ptr %55, ptr %18, align 8
  %56 = load ptr, ptr %14, align 8
  %57 = getelementptr i64, ptr %56, i64 0
  %58 = load i64, ptr %57, align 8
  %59 = load i64, ptr %16, align 8
  %60 = icmp eq i64 %58, %59
  %61 = zext i1 %60 to i64
  %62 = select i1 %60, i32 3, i32 0
  %63 = load ptr, ptr %14, align 8
  %64 = sext i32 %62 to i64
  %65 = getelementptr i64, ptr %63, i64 %64
  store ptr %65, ptr %14, align 8
  %66 = load ptr, ptr %14, align 8
  %67 = getelementptr i64, ptr %66, i64 1
  %68 = load i64, ptr %67, align 8
  store i64 %68, ptr %19, align 8
  %69 = load ptr, ptr %14, align 8
  %70 = getelementptr i64, ptr %69, i64 2
  %71 = load i64, ptr %70, align 8
  store i64 %71, ptr %20, align 8
  %72 = load ptr, ptr %17, align 8
  %73 = load i64, ptr @words, align 8
  %74 = getelementptr i64, ptr %72, i64 %73
  %75 = load i64, ptr %74, align 8
  store i64 %75, ptr %21, align 8
  %76 = load i64, ptr %21, align 8
  %77 = and i64 %76, 65535
  store i64 %77, ptr %22, align 8
  %78 = load i64, ptr %21, align 8
  %79 = icmp ugt i64 %78, 65535
  br i1 %79, label %80, label %98

80:
  %81 = load i64, ptr %21, align 8
  %82 = icmp slt i64 %81, 0
  br i1 %82, label %83, label %91

83:
  %84 = load ptr, ptr %5, align 8
  %85 = getelementptr %struct.context, ptr %84, i32 0, i32 27
  %86 = load ptr, ptr %85, align 8
  %87 = load i64, ptr %22, align 8
  %88 = load i64, ptr %20, align 8
  %89 = load i64, ptr %19, align 8
  %90 = load i64, ptr %22, align 8
  call void @note(ptr noundef %86, i64 noundef 46, i64 noundef 0, i64 noundef %87, i64 noundef %88, i64 noundef 0, i64 noundef %89, i64 noundef %90)
  br label %145

91:
  %92 = load ptr, ptr %5, align 8
  %93 = load i64, ptr %21, align 8
  %94 = lshr i64 %93, 16
  %95 = load i64, ptr %19, align 8
  %96 = load i64, ptr %22, align 8
  %97 = load i64, ptr %20, align 8
  call void @note_step(ptr noundef %92, i64 noundef %94, i64 noundef %95, i64 noundef %96, i64 noundef %97)
  br label %98

98:
  %99 = load ptr, ptr %18, align 8
  %100 = load ptr, ptr %17, align 8
  call void @copy(ptr noundef %99, ptr noundef %100, i64 noundef 0)
  %101 = load ptr, ptr %17, align 8
  %102 = call i64 @hash_of(ptr noundef %101)
  store i64 %102, ptr %23, align 8
  %103 = load ptr, ptr %18, align 8
  %104 = load i64, ptr %19, align 8
  %105 = load i64, ptr %22, align 8
  %106 = call i64 @predecessor_of(i64 noundef %104, i64 noundef %105)
  %107 = load i64, ptr @dominating, align 8
  %108 = icmp ne i64 %107, 0
  br i1 %108, label %109, label %113

109:
  %110 = load ptr, ptr %5, align 8
  %111 = load ptr, ptr %17, align 8
  %112 = call i64 @place_hash(ptr noundef %110, ptr noundef %111)
  br label %115

113:
  %114 = load i64, ptr %23, align 8
  br label %115

115:
  %116 = phi i64 [ %112, %109 ], [ %114, %113 ]
  call void @finish(ptr noundef %9, ptr noundef %103, i64 noundef %106, i64 noundef %116)
  %117 = load ptr, ptr %15, align 8
  %118 = load i64, ptr %22, align 8
  %119 = getelementptr i64, ptr %117, i64 %118
  %120 = load i64, ptr %119, align 8
  %121 = add i64 %120, 1
  store i64 %121, ptr %119, align 8
  %122 = load ptr, ptr %5, align 8
  %123 = getelementptr %struct.context, ptr %122, i32 0, i32 26
  %124 = load ptr, ptr %123, align 8
  %125 = load i64, ptr %22, align 8
  %126 = getelementptr i64, ptr %124, i64 %125
  %127 = load i64, ptr %126, align 8
  %128 = load i64, ptr %20, align 8
  %129 = load i64, ptr %23, align 8
  %130 = call { i64, i64 } @step_lanes(i64 noundef %127, i64 noundef %128, i64 noundef %129)
  %131 = getelementptr inbounds nuw { i64, i64 }, ptr %24, i32 0, i32 0
  %132 = extractvalue { i64, i64 } %130, 0
  store i64 %132, ptr %131, align 8
  %133 = getelementptr inbounds nuw { i64, i64 }, ptr %24, i32 0, i32 1
  %134 = extractvalue { i64, i64 } %130, 1
  store i64 %134, ptr %133, align 8
  %135 = getelementptr %struct.step_lanes, ptr %24, i32 0, i32 0
  %136 = load i64, ptr %135, align 8
  %137 = load i64, ptr %11, align 8
  %138 = add i64 %137, %136
  store i64 %138, ptr %11, align 8
  %139 = getelementptr %struct.step_lanes, ptr %24, i32 0, i32 1
  %140 = load i64, ptr %139, align 8
  %141 = load i64, ptr %12, align 8
  %142 = add i64 %141, %140
  store i64 %142, ptr %12, align 8
  %143 = load i64, ptr %10, align 8
  %144 = add i64 %143, 1
  store i64 %144, ptr %10, align 8
  br label %145

145:
  %146 = load i64, ptr %16, align 8
  %147 = add i64 %146, 1
  store i64 %147, ptr %16, align 8
  br label %45, !llvm.loop !25

148:
  %149 = load i64, ptr %11, align 8
  %150 = load ptr, ptr %5, align 8
  %151 = getelementptr %struct.context, ptr %150, i32 0, i32 23
  %152 = load i64, ptr %151, align 8
  %153 = add i64 %152, %149
  store i64 %153, ptr %151, align 8
  %154 = load i64, ptr %12, align 8
  %155 = load ptr, ptr %5, align 8
  %156 = getelementptr %struct.context, ptr %155, i32 0, i32 24
  %157 = load i64, ptr %156, align 8
  %158 = add i64 %157, %154
  store i64 %158, ptr %156, align 8
  %159 = load i64, ptr %10, align 8
  ret i64 %159
}

define i64 @gather_shared(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2) #3 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = load ptr, ptr %5, align 8
  %9 = load i64, ptr %6, align 8
  %10 = call i64 @gather_in(ptr noundef %7, ptr noundef %8, i64 noundef %9, i32 noundef 1)
  ret i64 %10
}

define i64 @gather_eight(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3) #3 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store ptr %3, ptr %8, align 8
  %9 = load ptr, ptr %5, align 8
  %10 = load ptr, ptr %6, align 8
  %11 = load i64, ptr %7, align 8
  %12 = load ptr, ptr %8, align 8
  %13 = call i64 @gather_eight_in(ptr noundef %9, ptr noundef %10, i64 noundef %11, ptr noundef %12, i32 noundef 0)
  ret i64 %13
}

define internal i64 @gather_eight_in(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, i32 noundef %4) #1 {
  %6 = alloca i64, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  %10 = alloca ptr, align 8
  %11 = alloca i32, align 4
  %12 = alloca %struct.visited, align 8
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  %15 = alloca i64, align 8
  %16 = alloca ptr, align 8
  %17 = alloca i64, align 8
  %18 = alloca ptr, align 8
  %19 = alloca i64, align 8
  %20 = alloca ptr, align 8
  %21 = alloca ptr, align 8
  %22 = alloca i64, align 8
  %23 = alloca i64, align 8
  %24 = alloca i64, align 8
  %25 = alloca i64, align 8
  %26 = alloca ptr, align 8
  %27 = alloca i64, align 8
  %28 = alloca i64, align 8
  %29 = alloca i64, align 8
  %30 = alloca %struct.step_lanes, align 8
  store ptr %0, ptr %7, align 8
  store ptr %1, ptr %8, align 8
  store i64 %2, ptr %9, align 8
  store ptr %3, ptr %10, align 8
  store i32 %4, ptr %11, align 4
  %31 = load ptr, ptr %7, align 8
  %32 = load i32, ptr %11, align 4
  call void @visited_at_entry(ptr dead_on_unwind writable sret(%struct.visited) align 8 %12, ptr noundef %31, i32 noundef %32)
  %33 = load ptr, ptr %7, align 8
  %34 = load ptr, ptr %8, align 8
  %35 = call i64 @take_columns(ptr noundef %33, ptr noundef %34)
  store i64 %35, ptr %13, align 8
  store i64 0, ptr %14, align 8
  store i64 0, ptr %15, align 8
  %36 = load i64, ptr %13, align 8
  %37 = icmp eq i64 %36, -1
  br i1 %37, label %38, label %39

38:
  store i64 -1, ptr %6, align 8
  br label %178

39:
  %40 = load ptr, ptr %7, align 8
  %41 = load ptr, ptr %8, align 8
  %42 = call i64 @place(ptr noundef %40, ptr noundef %41, i64 noundef 0)
  %43 = load ptr, ptr %7, align 8
  %44 = getelementptr %struct.context, ptr %43, i32 0, i32 25
  %45 = load ptr, ptr %44, align 8
  store ptr %45, ptr %16, align 8
  %46 = load i64, ptr %9, align 8
  %47 = shl i64 %46, 16
  store i64 %47, ptr %17, align 8
  %48 = load ptr, ptr %7, align 8
  %49 = getelementptr %struct.context, ptr %48, i32 0, i32 16
  %50 = load ptr, ptr %49, align 8
  store ptr %50, ptr %18, align 8
  %51 = load ptr, ptr %7, align 8
  %52 = getelementptr %struct.context, ptr %51, i32 0, i32 17
  %53 = load i64, ptr %52, align 8
  store i64 %53, ptr %19, align 8
  %54 = load ptr, ptr %18, align 8
  %55 = getelementptr i64, ptr %54, i64 24
  store ptr %55, ptr %20, align 8
  %56 = load ptr, ptr %20, align 8
  %57 = load i64, ptr %19, align 8
  %58 = load i64, ptr @words, align 8
  %59 = mul i64 %57, %58
  %60 = getelementptr i64, ptr %56, i64 %59
  store ptr %60, ptr %21, align 8
  store i64 0, ptr %22, align 8
  br label %61

61:
  %62 = load i64, ptr %22, align 8
  %63 = load i64, ptr %13, align 8
  %64 = icmp ult i64 %62, %63
  br i1 %64, label %65, label %166

65:
  %66 = load ptr, ptr %21, align 8
  %67 = load i64, ptr %22, align 8
  %68 = getelementptr i64, ptr %66, i64 %67
  %69 = load i64, ptr %68, align 8
  store i64 %69, ptr %23, align 8
  %70 = load i64, ptr %23, align 8
  %71 = lshr i64 %70, 16
  store i64 %71, ptr %24, align 8
  %72 = load i64, ptr %23, align 8
  %73 = and i64 %72, 65535
  store i64 %73, ptr %25, align 8
  %74 = load ptr, ptr %10, align 8
  %75 = load ptr, ptr %18, align 8
  %76 = load i64, ptr %24, align 8
  %77 = add i64 8, %76
  %78 = getelementptr i64, ptr %75, i64 %77
  %79 = load i64, ptr %78, align 8
  %80 = add i64 %79, 1
  store i64 %80, ptr %78, align 8
  %81 = call ptr @entry(ptr noundef %74, i64 noundef %79)
  store ptr %81, ptr %26, align 8
  store i64 0, ptr %27, align 8
  br label %82

82:
  %83 = load i64, ptr %27, align 8
  %84 = load i64, ptr @words, align 8
  %85 = icmp ult i64 %83, %84
  br i1 %85, label %86, label %101

86:
  %87 = load ptr, ptr %20, align 8
  %88 = load i64, ptr %19, align 8
  %89 = load i64, ptr %27, align 8
  %90 = mul i64 %88, %89
  %91 = load i64, ptr %22, align 8
  %92 = add i64 %90, %91
  %93 = getelementptr i64, ptr %87, i64 %92
  %94 = load i64, ptr %93, align 8
  %95 = load ptr, ptr %26, align 8
  %96 = load i64, ptr %27, align 8
  %97 = getelementptr i64, ptr %95, i64 %96
  store i64 %94, ptr %97, align 8
  br label %98

98:
  %99 = load i64, ptr %27, align 8
  %100 = add i64 %99, 1
  store i64 %100, ptr %27, align 8
  br label %82, !llvm.loop !26

101:
  %102 = load ptr, ptr %26, align 8
  %103 = call i64 @hash_of(ptr noundef %102)
  store i64 %103, ptr %28, align 8
  %104 = load i64, ptr @dominating, align 8
  %105 = icmp ne i64 %104, 0
  br i1 %105, label %106, label %115

106:
  %107 = load ptr, ptr %7, align 8
  %108 = getelementptr %struct.context, ptr %107, i32 0, i32 56
  %109 = load ptr, ptr %108, align 8
  %110 = load i64, ptr %24, align 8
  %111 = getelementptr i64, ptr %109, i64 %110
  %112 = load i64, ptr %111, align 8
  %113 = load i64, ptr %25, align 8
  %114 = call i64 @predecessor_of(i64 noundef %112, i64 noundef %113)
  br label %119

115:
  %116 = load i64, ptr %17, align 8
  %117 = load i64, ptr %23, align 8
  %118 = add i64 %116, %117
  br label %119

119:
  %120 = phi i64 [ %114, %106 ], [ %118, %115 ]
  store i64 %120, ptr %29, align 8
  %121 = load ptr, ptr %26, align 8
  %122 = load i64, ptr %29, align 8
  %123 = load i64, ptr @dominating, align 8
  %124 = icmp ne i64 %123, 0
  br i1 %124, label %125, label %129

125:
  %126 = load ptr, ptr %7, align 8
  %127 = load ptr, ptr %26, align 8
  %128 = call i64 @place_hash(ptr noundef %126, ptr noundef %127)
  br label %131

129:
  %130 = load i64, ptr %28, align 8
  br label %131

131:
  %132 = phi i64 [ %128, %125 ], [ %130, %129 ]
  call void @finish(ptr noundef %12, ptr noundef %121, i64 noundef %122, i64 noundef %132)
  %133 = load ptr, ptr %16, align 8
  %134 = load i64, ptr %25, align 8
  %135 = getelementptr i64, ptr %133, i64 %134
  %136 = load i64, ptr %135, align 8
  %137 = add i64 %136, 1
  store i64 %137, ptr %135, align 8
  %138 = load ptr, ptr %7, align 8
  %139 = getelementptr %struct.context, ptr %138, i32 0, i32 26
  %140 = load ptr, ptr %139, align 8
  %141 = load i64, ptr %25, align 8
  %142 = getelementptr i64, ptr %140, i64 %141
  %143 = load i64, ptr %142, align 8
  %144 = load ptr, ptr %18, align 8
  %145 = load i64, ptr %24, align 8
  %146 = add i64 16, %145
  %147 = getelementptr i64, ptr %144, i64 %146
  %148 = load i64, ptr %147, align 8
  %149 = load i64, ptr %28, align 8
  %150 = call { i64, i64 } @step_lanes(i64 noundef %143, i64 noundef %148, i64 noundef %149)
  %151 = getelementptr inbounds nuw { i64, i64 }, ptr %30, i32 0, i32 0
  %152 = extractvalue { i64, i64 } %150, 0
  store i64 %152, ptr %151, align 8
  %153 = getelementptr inbounds nuw { i64, i64 }, ptr %30, i32 0, i32 1
  %154 = extractvalue { i64, i64 } %150, 1
  store i64 %154, ptr %153, align 8
  %155 = getelementptr %struct.step_lanes, ptr %30, i32 0, i32 0
  %156 = load i64, ptr %155, align 8
  %157 = load i64, ptr %14, align 8
  %158 = add i64 %157, %156
  store i64 %158, ptr %14, align 8
  %159 = getelementptr %struct.step_lanes, ptr %30, i32 0, i32 1
  %160 = load i64, ptr %159, align 8
  %161 = load i64, ptr %15, align 8
  %162 = add i64 %161, %160
  store i64 %162, ptr %15, align 8
  br label %163

163:
  %164 = load i64, ptr %22, align 8
  %165 = add i64 %164, 1
  store i64 %165, ptr %22, align 8
  br label %61, !llvm.loop !27

166:
  %167 = load i64, ptr %14, align 8
  %168 = load ptr, ptr %7, align 8
  %169 = getelementptr %struct.context, ptr %168, i32 0, i32 23
  %170 = load i64, ptr %169, align 8
  %171 = add i64 %170, %167
  store i64 %171, ptr %169, align 8
  %172 = load i64, ptr %15, align 8
  %173 = load ptr, ptr %7, align 8
  %174 = getelementptr %struct.context, ptr %173, i32 0, i32 24
  %175 = load i64, ptr %174, align 8
  %176 = add i64 %175, %172
  store i64 %176, ptr %174, align 8
  %177 = load i64, ptr %13, align 8
  store i64 %177, ptr %6, align 8
  br label %178

178:
  %179 = load i64, ptr %6, align 8
  ret i64 %179
}

define i64 @gather_eight_shared(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3) #3 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store ptr %3, ptr %8, align 8
  %9 = load ptr, ptr %5, align 8
  %10 = load ptr, ptr %6, align 8
  %11 = load i64, ptr %7, align 8
  %12 = load ptr, ptr %8, align 8
  %13 = call i64 @gather_eight_in(ptr noundef %9, ptr noundef %10, i64 noundef %11, ptr noundef %12, i32 noundef 1)
  ret i64 %13
}

define i64 @gather_group(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef %4) #3 {
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca ptr, align 8
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store i64 %2, ptr %8, align 8
  store i64 %3, ptr %9, align 8
  store ptr %4, ptr %10, align 8
  %11 = load ptr, ptr %6, align 8
  %12 = load ptr, ptr %7, align 8
  %13 = load i64, ptr %8, align 8
  %14 = load i64, ptr %9, align 8
  %15 = load ptr, ptr %10, align 8
  %16 = call i64 @gather_group_in(ptr noundef %11, ptr noundef %12, i64 noundef %13, i64 noundef %14, ptr noundef %15, i32 noundef 0)
  ret i64 %16
}

define internal i64 @gather_group_in(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef %4, i32 noundef %5) #1 {
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca ptr, align 8
  %13 = alloca i32, align 4
  %14 = alloca i64, align 8
  store ptr %0, ptr %8, align 8
  store ptr %1, ptr %9, align 8
  store i64 %2, ptr %10, align 8
  store i64 %3, ptr %11, align 8
  store ptr %4, ptr %12, align 8
  store i32 %5, ptr %13, align 4
  %15 = load i64, ptr %11, align 8
  %16 = icmp eq i64 %15, 8
  br i1 %16, label %17, label %44

17:
  %18 = load ptr, ptr %8, align 8
  %19 = getelementptr %struct.context, ptr %18, i32 0, i32 31
  %20 = load ptr, ptr %19, align 8
  %21 = icmp ne ptr %20, null
  br i1 %21, label %22, label %44

22:
  %23 = load i32, ptr %13, align 4
  %24 = icmp ne i32 %23, 0
  br i1 %24, label %25, label %31

25:
  %26 = load ptr, ptr %8, align 8
  %27 = load ptr, ptr %9, align 8
  %28 = load i64, ptr %10, align 8
  %29 = load ptr, ptr %12, align 8
  %30 = call i64 @gather_eight_shared(ptr noundef %26, ptr noundef %27, i64 noundef %28, ptr noundef %29)
  br label %37

31:
  %32 = load ptr, ptr %8, align 8
  %33 = load ptr, ptr %9, align 8
  %34 = load i64, ptr %10, align 8
  %35 = load ptr, ptr %12, align 8
  %36 = call i64 @gather_eight(ptr noundef %32, ptr noundef %33, i64 noundef %34, ptr noundef %35)
  br label %37

37:
  %38 = phi i64 [ %30, %25 ], [ %36, %31 ]
  store i64 %38, ptr %14, align 8
  %39 = load i64, ptr %14, align 8
  %40 = icmp ne i64 %39, -1
  br i1 %40, label %41, label %43

41:
  %42 = load i64, ptr %14, align 8
  store i64 %42, ptr %7, align 8
  br label %71

43:
  br label %44

44:
  %45 = load ptr, ptr %8, align 8
  %46 = getelementptr %struct.context, ptr %45, i32 0, i32 15
  store i64 0, ptr %46, align 8
  %47 = load ptr, ptr %8, align 8
  %48 = getelementptr %struct.context, ptr %47, i32 0, i32 13
  store i64 0, ptr %48, align 8
  %49 = load ptr, ptr %8, align 8
  %50 = load ptr, ptr %9, align 8
  %51 = load i64, ptr %10, align 8
  %52 = load i64, ptr %11, align 8
  call void @take_each(ptr noundef %49, ptr noundef %50, i64 noundef %51, i64 noundef %52)
  %53 = load i32, ptr %13, align 4
  %54 = icmp ne i32 %53, 0
  br i1 %54, label %55, label %62

55:
  %56 = load ptr, ptr %8, align 8
  %57 = load ptr, ptr %12, align 8
  %58 = load ptr, ptr %8, align 8
  %59 = getelementptr %struct.context, ptr %58, i32 0, i32 13
  %60 = load i64, ptr %59, align 8
  %61 = call i64 @gather_shared(ptr noundef %56, ptr noundef %57, i64 noundef %60)
  br label %69

62:
  %63 = load ptr, ptr %8, align 8
  %64 = load ptr, ptr %12, align 8
  %65 = load ptr, ptr %8, align 8
  %66 = getelementptr %struct.context, ptr %65, i32 0, i32 13
  %67 = load i64, ptr %66, align 8
  %68 = call i64 @gather(ptr noundef %63, ptr noundef %64, i64 noundef %67)
  br label %69

69:
  %70 = phi i64 [ %61, %55 ], [ %68, %62 ]
  store i64 %70, ptr %7, align 8
  br label %71

71:
  %72 = load i64, ptr %7, align 8
  ret i64 %72
}

define i64 @gather_group_shared(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef %4) #3 {
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca ptr, align 8
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store i64 %2, ptr %8, align 8
  store i64 %3, ptr %9, align 8
  store ptr %4, ptr %10, align 8
  %11 = load ptr, ptr %6, align 8
  %12 = load ptr, ptr %7, align 8
  %13 = load i64, ptr %8, align 8
  %14 = load i64, ptr %9, align 8
  %15 = load ptr, ptr %10, align 8
  %16 = call i64 @gather_group_in(ptr noundef %11, ptr noundef %12, i64 noundef %13, i64 noundef %14, ptr noundef %15, i32 noundef 1)
  ret i64 %16
}

define void @look(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2) #3 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = load ptr, ptr %5, align 8
  %9 = load i64, ptr %6, align 8
  call void @look_in(ptr noundef %7, ptr noundef %8, i64 noundef %9, i32 noundef 0)
  ret void
}

define internal void @look_in(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i32, align 4
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i32 %3, ptr %8, align 4
  %9 = call i32 @simple()
  %10 = icmp ne i32 %9, 0
  br i1 %10, label %11, label %18

11:
  %12 = load i32, ptr %8, align 4
  %13 = icmp ne i32 %12, 0
  br i1 %13, label %18, label %14

14:
  %15 = load ptr, ptr %5, align 8
  %16 = load ptr, ptr %6, align 8
  %17 = load i64, ptr %7, align 8
  call void @look_alone(ptr noundef %15, ptr noundef %16, i64 noundef %17)
  br label %24

18:
  %19 = load ptr, ptr %5, align 8
  %20 = load ptr, ptr %6, align 8
  %21 = load i64, ptr %7, align 8
  %22 = load i32, ptr %8, align 4
  %23 = call i32 @simple()
  call void @look_at(ptr noundef %19, ptr noundef %20, i64 noundef %21, i32 noundef %22, i32 noundef %23)
  br label %24

24:
  ret void
}

define void @look_shared(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2) #3 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = load ptr, ptr %5, align 8
  %9 = load i64, ptr %6, align 8
  call void @look_in(ptr noundef %7, ptr noundef %8, i64 noundef %9, i32 noundef 1)
  ret void
}

define void @settle(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2) #3 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = load ptr, ptr %5, align 8
  %9 = load i64, ptr %6, align 8
  call void @settle_in(ptr noundef %7, ptr noundef %8, i64 noundef %9, i32 noundef 0)
  ret void
}

define internal void @settle_in(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i32, align 4
  %9 = alloca %struct.visited, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  %15 = alloca ptr, align 8
  %16 = alloca i64, align 8
  %17 = alloca i64, align 8
  %18 = alloca ptr, align 8
  %19 = alloca i64, align 8
  %20 = alloca i64, align 8
  %21 = alloca i64, align 8
  %22 = alloca i64, align 8
  %23 = alloca i64, align 8
  %24 = alloca i64, align 8
  %25 = alloca i64, align 8
  %26 = alloca i64, align 8
  %27 = alloca i64, align 8
  %28 = alloca ptr, align 8
  %29 = alloca ptr, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i32 %3, ptr %8, align 4
  %30 = load ptr, ptr %5, align 8
  %31 = load i32, ptr %8, align 4
  call void @visited_at_entry(ptr dead_on_unwind writable sret(%struct.visited) align 8 %9, ptr noundef %30, i32 noundef %31)
  %32 = load ptr, ptr %5, align 8
  %33 = call ptr @list(ptr noundef %32, i32 noundef 0)
  store ptr %33, ptr %10, align 8
  %34 = load ptr, ptr %5, align 8
  %35 = call ptr @list(ptr noundef %34, i32 noundef 1)
  store ptr %35, ptr %11, align 8
  store i64 0, ptr %12, align 8
  store i64 0, ptr %13, align 8
  store i64 0, ptr %14, align 8
  br label %36

36:
  %37 = load i64, ptr %14, align 8
  %38 = load i64, ptr %7, align 8
  %39 = icmp ult i64 %37, %38
  br i1 %39, label %40, label %133

40:
  %41 = load ptr, ptr %6, align 8
  %42 = load i64, ptr %14, align 8
  %43 = call ptr @entry(ptr noundef %41, i64 noundef %42)
  store ptr %43, ptr %15, align 8
  %44 = load ptr, ptr %15, align 8
  %45 = load i64, ptr @words, align 8
  %46 = add i64 %45, 2
  %47 = getelementptr i64, ptr %44, i64 %46
  %48 = load i64, ptr %47, align 8
  store i64 %48, ptr %16, align 8
  %49 = load ptr, ptr %15, align 8
  %50 = load i64, ptr @words, align 8
  %51 = getelementptr i64, ptr %49, i64 %50
  %52 = load i64, ptr %51, align 8
  store i64 %52, ptr %17, align 8
  %53 = load i64, ptr %16, align 8
  %54 = and i64 %53, -8
  %55 = inttoptr i64 %54 to ptr
  store ptr %55, ptr %18, align 8
  %56 = load i64, ptr %16, align 8
  %57 = and i64 %56, 2
  store i64 %57, ptr %19, align 8
  store i64 0, ptr %20, align 8
  br label %58

58:
  %59 = load i64, ptr %20, align 8
  %60 = load i64, ptr @words, align 8
  %61 = icmp ult i64 %59, %60
  br i1 %61, label %62, label %77

62:
  %63 = load ptr, ptr %15, align 8
  %64 = load i64, ptr %20, align 8
  %65 = getelementptr i64, ptr %63, i64 %64
  %66 = load i64, ptr %65, align 8
  %67 = load ptr, ptr %18, align 8
  %68 = load i64, ptr %20, align 8
  %69 = getelementptr i64, ptr %67, i64 %68
  %70 = load i64, ptr %69, align 8
  %71 = xor i64 %66, %70
  %72 = load i64, ptr %19, align 8
  %73 = or i64 %72, %71
  store i64 %73, ptr %19, align 8
  br label %74

74:
  %75 = load i64, ptr %20, align 8
  %76 = add i64 %75, 1
  store i64 %76, ptr %20, align 8
  br label %58, !llvm.loop !28

77:
  %78 = load ptr, ptr %18, align 8
  %79 = load i64, ptr @words, align 8
  %80 = getelementptr i64, ptr %78, i64 %79
  %81 = call i64 @load_slot(ptr noundef %9, ptr noundef %80)
  store i64 %81, ptr %21, align 8
  %82 = load i64, ptr %19, align 8
  %83 = icmp eq i64 %82, 0
  %84 = zext i1 %83 to i32
  %85 = sext i32 %84 to i64
  store i64 %85, ptr %22, align 8
  %86 = load i64, ptr %16, align 8
  %87 = and i64 %86, 1
  %88 = icmp ne i64 %87, 0
  %89 = zext i1 %88 to i32
  %90 = sext i32 %89 to i64
  store i64 %90, ptr %23, align 8
  %91 = load i64, ptr %17, align 8
  %92 = and i64 %91, 65535
  %93 = load i64, ptr %21, align 8
  %94 = and i64 %93, 65535
  %95 = icmp ugt i64 %92, %94
  %96 = zext i1 %95 to i32
  %97 = sext i32 %96 to i64
  store i64 %97, ptr %24, align 8
  %98 = load ptr, ptr %15, align 8
  %99 = load ptr, ptr %10, align 8
  %100 = load i64, ptr %12, align 8
  %101 = getelementptr ptr, ptr %99, i64 %100
  store ptr %98, ptr %101, align 8
  %102 = load i64, ptr %22, align 8
  %103 = icmp ne i64 %102, 0
  %104 = xor i1 %103, true
  %105 = zext i1 %104 to i32
  %106 = sext i32 %105 to i64
  %107 = load i64, ptr %12, align 8
  %108 = add i64 %107, %106
  store i64 %108, ptr %12, align 8
  %109 = load ptr, ptr %15, align 8
  %110 = load ptr, ptr %11, align 8
  %111 = load i64, ptr %13, align 8
  %112 = getelementptr ptr, ptr %110, i64 %111
  store ptr %109, ptr %112, align 8
  %113 = load i64, ptr %22, align 8
  %114 = load i64, ptr %23, align 8
  %115 = and i64 %113, %114
  %116 = load i64, ptr %24, align 8
  %117 = icmp ne i64 %116, 0
  %118 = xor i1 %117, true
  %119 = zext i1 %118 to i32
  %120 = sext i32 %119 to i64
  %121 = and i64 %115, %120
  %122 = load i64, ptr %17, align 8
  %123 = load i64, ptr %21, align 8
  %124 = icmp ne i64 %122, %123
  %125 = zext i1 %124 to i32
  %126 = sext i32 %125 to i64
  %127 = and i64 %121, %126
  %128 = load i64, ptr %13, align 8
  %129 = add i64 %128, %127
  store i64 %129, ptr %13, align 8
  br label %130

130:
  %131 = load i64, ptr %14, align 8
  %132 = add i64 %131, 1
  store i64 %132, ptr %14, align 8
  br label %36, !llvm.loop !29

133:
  %134 = call i32 @simple()
  %135 = icmp ne i32 %134, 0
  br i1 %135, label %136, label %150

136:
  store i64 0, ptr %25, align 8
  br label %137

137:
  %138 = load i64, ptr %25, align 8
  %139 = load i64, ptr %12, align 8
  %140 = icmp ult i64 %138, %139
  br i1 %140, label %141, label %149

141:
  %142 = load ptr, ptr %10, align 8
  %143 = load i64, ptr %25, align 8
  %144 = getelementptr ptr, ptr %142, i64 %143
  %145 = load ptr, ptr %144, align 8
  call void @ask_beyond(ptr noundef %9, ptr noundef %145)
  br label %146

146:
  %147 = load i64, ptr %25, align 8
  %148 = add i64 %147, 1
  store i64 %148, ptr %25, align 8
  br label %137, !llvm.loop !30

149:
  br label %150

150:
  store i64 0, ptr %26, align 8
  br label %151

151:
  %152 = load i64, ptr %26, align 8
  %153 = load i64, ptr %12, align 8
  %154 = icmp ult i64 %152, %153
  br i1 %154, label %155, label %174

155:
  %156 = load i32, ptr %8, align 4
  %157 = icmp ne i32 %156, 0
  br i1 %157, label %158, label %164

158:
  %159 = load ptr, ptr %5, align 8
  %160 = load ptr, ptr %10, align 8
  %161 = load i64, ptr %26, align 8
  %162 = getelementptr ptr, ptr %160, i64 %161
  %163 = load ptr, ptr %162, align 8
  call void @insert_entry_shared(ptr noundef %159, ptr noundef %163)
  br label %170

164:
  %165 = load ptr, ptr %5, align 8
  %166 = load ptr, ptr %10, align 8
  %167 = load i64, ptr %26, align 8
  %168 = getelementptr ptr, ptr %166, i64 %167
  %169 = load ptr, ptr %168, align 8
  call void @insert_entry(ptr noundef %165, ptr noundef %169)
  br label %170

170:
  br label %171

171:
  %172 = load i64, ptr %26, align 8
  %173 = add i64 %172, 1
  store i64 %173, ptr %26, align 8
  br label %151, !llvm.loop !31

174:
  store i64 0, ptr %27, align 8
  br label %175

175:
  %176 = load i64, ptr %27, align 8
  %177 = load i64, ptr %13, align 8
  %178 = icmp ult i64 %176, %177
  br i1 %178, label %179, label %211

179:
  %180 = load ptr, ptr %11, align 8
  %181 = load i64, ptr %27, align 8
  %182 = getelementptr ptr, ptr %180, i64 %181
  %183 = load ptr, ptr %182, align 8
  store ptr %183, ptr %28, align 8
  %184 = load ptr, ptr %28, align 8
  %185 = load i64, ptr @words, align 8
  %186 = add i64 %185, 2
  %187 = getelementptr i64, ptr %184, i64 %186
  %188 = load i64, ptr %187, align 8
  %189 = and i64 %188, -8
  %190 = inttoptr i64 %189 to ptr
  store ptr %190, ptr %29, align 8
  %191 = load i32, ptr %8, align 4
  %192 = icmp ne i32 %191, 0
  br i1 %192, label %193, label %200

193:
  %194 = load ptr, ptr %5, align 8
  %195 = load ptr, ptr %29, align 8
  %196 = load ptr, ptr %28, align 8
  %197 = load i64, ptr @words, align 8
  %198 = getelementptr i64, ptr %196, i64 %197
  %199 = load i64, ptr %198, align 8
  call void @prefer_shared(ptr noundef %194, ptr noundef %195, i64 noundef %199)
  br label %207

200:
  %201 = load ptr, ptr %5, align 8
  %202 = load ptr, ptr %29, align 8
  %203 = load ptr, ptr %28, align 8
  %204 = load i64, ptr @words, align 8
  %205 = getelementptr i64, ptr %203, i64 %204
  %206 = load i64, ptr %205, align 8
  call void @prefer(ptr noundef %201, ptr noundef %202, i64 noundef %206)
  br label %207

207:
  br label %208

208:
  %209 = load i64, ptr %27, align 8
  %210 = add i64 %209, 1
  store i64 %210, ptr %27, align 8
  br label %175, !llvm.loop !32

211:
  ret void
}

define void @settle_shared(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2) #3 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = load ptr, ptr %5, align 8
  %9 = load i64, ptr %6, align 8
  call void @settle_in(ptr noundef %7, ptr noundef %8, i64 noundef %9, i32 noundef 1)
  ret void
}

define void @expand(ptr noalias noundef %0) #3 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  call void @expand_in(ptr noundef %3, i32 noundef 0)
  ret void
}

define internal void @expand_in(ptr noundef %0, i32 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca %struct.flight, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i32, align 4
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca ptr, align 8
  %14 = alloca i64, align 8
  %15 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  %16 = getelementptr inbounds nuw %struct.flight, ptr %5, i32 0, i32 0
  %17 = load ptr, ptr %3, align 8
  %18 = getelementptr %struct.context, ptr %17, i32 0, i32 9
  %19 = load ptr, ptr %18, align 8
  %20 = load ptr, ptr %3, align 8
  %21 = getelementptr %struct.context, ptr %20, i32 0, i32 10
  %22 = load i64, ptr %21, align 8
  %23 = call ptr @entry(ptr noundef %19, i64 noundef %22)
  store ptr %23, ptr %16, align 8
  %24 = getelementptr inbounds nuw %struct.flight, ptr %5, i32 0, i32 1
  %25 = load ptr, ptr %3, align 8
  %26 = getelementptr %struct.context, ptr %25, i32 0, i32 9
  %27 = load ptr, ptr %26, align 8
  %28 = load ptr, ptr %3, align 8
  %29 = getelementptr %struct.context, ptr %28, i32 0, i32 10
  %30 = load i64, ptr %29, align 8
  %31 = mul i64 %30, 2
  %32 = call ptr @entry(ptr noundef %27, i64 noundef %31)
  store ptr %32, ptr %24, align 8
  %33 = getelementptr inbounds nuw %struct.flight, ptr %5, i32 0, i32 2
  %34 = load ptr, ptr %3, align 8
  %35 = getelementptr %struct.context, ptr %34, i32 0, i32 9
  %36 = load ptr, ptr %35, align 8
  %37 = load ptr, ptr %3, align 8
  %38 = getelementptr %struct.context, ptr %37, i32 0, i32 10
  %39 = load i64, ptr %38, align 8
  %40 = mul i64 %39, 3
  %41 = call ptr @entry(ptr noundef %36, i64 noundef %40)
  store ptr %41, ptr %33, align 8
  %42 = getelementptr inbounds nuw %struct.flight, ptr %5, i32 0, i32 3
  store i64 0, ptr %42, align 8
  %43 = getelementptr inbounds i64, ptr %42, i64 1
  store i64 0, ptr %43, align 8
  %44 = load ptr, ptr %3, align 8
  %45 = getelementptr %struct.context, ptr %44, i32 0, i32 3
  %46 = load i64, ptr %45, align 8
  store i64 %46, ptr %6, align 8
  store i64 0, ptr %7, align 8
  store i32 0, ptr %8, align 4
  br label %47

47:
  %48 = load i32, ptr %8, align 4
  %49 = icmp ne i32 %48, 0
  %50 = xor i1 %49, true
  br i1 %50, label %51, label %204

51:
  %52 = load ptr, ptr %3, align 8
  %53 = getelementptr %struct.context, ptr %52, i32 0, i32 6
  %54 = load i64, ptr %53, align 8
  %55 = load ptr, ptr %3, align 8
  %56 = getelementptr %struct.context, ptr %55, i32 0, i32 7
  %57 = load i64, ptr %56, align 8
  %58 = call i64 @least(i64 noundef %54, i64 noundef %57)
  store i64 %58, ptr %9, align 8
  store i64 0, ptr %10, align 8
  %59 = load i32, ptr %4, align 4
  %60 = icmp ne i32 %59, 0
  br i1 %60, label %61, label %67

61:
  %62 = load ptr, ptr %3, align 8
  %63 = call i32 @is_full(ptr noundef %62)
  %64 = icmp ne i32 %63, 0
  br i1 %64, label %65, label %66

65:
  br label %204

66:
  br label %88

67:
  %68 = load ptr, ptr %3, align 8
  %69 = getelementptr %struct.context, ptr %68, i32 0, i32 5
  %70 = load i64, ptr %69, align 8
  %71 = load i64, ptr %9, align 8
  %72 = icmp uge i64 %70, %71
  br i1 %72, label %86, label %73

73:
  %74 = load ptr, ptr %3, align 8
  %75 = getelementptr %struct.context, ptr %74, i32 0, i32 3
  %76 = load i64, ptr %75, align 8
  %77 = load ptr, ptr %3, align 8
  %78 = getelementptr %struct.context, ptr %77, i32 0, i32 10
  %79 = load i64, ptr %78, align 8
  %80 = mul i64 %79, 3
  %81 = add i64 %76, %80
  %82 = load ptr, ptr %3, align 8
  %83 = getelementptr %struct.context, ptr %82, i32 0, i32 4
  %84 = load i64, ptr %83, align 8
  %85 = icmp ugt i64 %81, %84
  br i1 %85, label %86, label %87

86:
  br label %204

87:
  br label %88

88:
  %89 = load ptr, ptr %3, align 8
  %90 = getelementptr %struct.context, ptr %89, i32 0, i32 15
  store i64 0, ptr %90, align 8
  %91 = load ptr, ptr %3, align 8
  %92 = getelementptr %struct.context, ptr %91, i32 0, i32 13
  store i64 0, ptr %92, align 8
  br label %93

93:
  %94 = load ptr, ptr %3, align 8
  %95 = load i64, ptr %10, align 8
  %96 = call i32 @batch_is_full(ptr noundef %94, i64 noundef %95)
  %97 = icmp ne i32 %96, 0
  %98 = xor i1 %97, true
  br i1 %98, label %99, label %170

99:
  %100 = load i32, ptr %4, align 4
  %101 = icmp ne i32 %100, 0
  br i1 %101, label %102, label %143

102:
  %103 = load ptr, ptr %3, align 8
  %104 = getelementptr %struct.context, ptr %103, i32 0, i32 48
  %105 = load i64, ptr %104, align 8
  %106 = load ptr, ptr %3, align 8
  %107 = getelementptr %struct.context, ptr %106, i32 0, i32 49
  %108 = load i64, ptr %107, align 8
  %109 = icmp uge i64 %105, %108
  br i1 %109, label %110, label %116

110:
  %111 = load ptr, ptr %3, align 8
  %112 = call i32 @take_batch(ptr noundef %111, ptr noundef %7)
  %113 = icmp ne i32 %112, 0
  br i1 %113, label %114, label %115

114:
  br label %93, !llvm.loop !33

115:
  store i32 1, ptr %8, align 4
  br label %170

116:
  %117 = load ptr, ptr %3, align 8
  %118 = getelementptr %struct.context, ptr %117, i32 0, i32 48
  %119 = load i64, ptr %118, align 8
  store i64 %119, ptr %11, align 8
  %120 = load ptr, ptr %3, align 8
  %121 = getelementptr %struct.context, ptr %120, i32 0, i32 50
  %122 = load i64, ptr %121, align 8
  store i64 %122, ptr %12, align 8
  %123 = load ptr, ptr %3, align 8
  %124 = load i64, ptr %12, align 8
  %125 = load i64, ptr %11, align 8
  %126 = call ptr @record_of(ptr noundef %123, i64 noundef %124, i64 noundef %125)
  store ptr %126, ptr %13, align 8
  %127 = load ptr, ptr %3, align 8
  %128 = getelementptr %struct.context, ptr %127, i32 0, i32 49
  %129 = load i64, ptr %128, align 8
  %130 = load i64, ptr %11, align 8
  %131 = sub i64 %129, %130
  store i64 %131, ptr %14, align 8
  %132 = load i64, ptr %11, align 8
  %133 = load ptr, ptr %3, align 8
  %134 = load ptr, ptr %13, align 8
  %135 = load i64, ptr %12, align 8
  %136 = load i64, ptr %11, align 8
  %137 = call i64 @name_of(i64 noundef %135, i64 noundef %136)
  %138 = load i64, ptr %14, align 8
  %139 = call i64 @add_group(ptr noundef %133, ptr noundef %5, ptr noundef %10, ptr noundef %134, i64 noundef %137, i64 noundef %138, i32 noundef 1)
  %140 = add i64 %132, %139
  %141 = load ptr, ptr %3, align 8
  %142 = getelementptr %struct.context, ptr %141, i32 0, i32 48
  store i64 %140, ptr %142, align 8
  br label %169

143:
  %144 = load ptr, ptr %3, align 8
  %145 = getelementptr %struct.context, ptr %144, i32 0, i32 5
  %146 = load i64, ptr %145, align 8
  store i64 %146, ptr %15, align 8
  %147 = load i64, ptr %15, align 8
  %148 = load i64, ptr %9, align 8
  %149 = icmp uge i64 %147, %148
  br i1 %149, label %150, label %151

150:
  br label %170

151:
  %152 = load i64, ptr %15, align 8
  %153 = load ptr, ptr %3, align 8
  %154 = load ptr, ptr %3, align 8
  %155 = load i64, ptr %15, align 8
  %156 = call ptr @record(ptr noundef %154, i64 noundef %155)
  %157 = load ptr, ptr %3, align 8
  %158 = getelementptr %struct.context, ptr %157, i32 0, i32 34
  %159 = load i64, ptr %158, align 8
  %160 = load i64, ptr %15, align 8
  %161 = call i64 @name_of(i64 noundef %159, i64 noundef %160)
  %162 = load i64, ptr %9, align 8
  %163 = load i64, ptr %15, align 8
  %164 = sub i64 %162, %163
  %165 = call i64 @add_group(ptr noundef %153, ptr noundef %5, ptr noundef %10, ptr noundef %156, i64 noundef %161, i64 noundef %164, i32 noundef 0)
  %166 = add i64 %152, %165
  %167 = load ptr, ptr %3, align 8
  %168 = getelementptr %struct.context, ptr %167, i32 0, i32 5
  store i64 %166, ptr %168, align 8
  br label %169

169:
  br label %93, !llvm.loop !33

170:
  %171 = load i64, ptr @symmetric, align 8
  %172 = icmp ne i64 %171, 0
  br i1 %172, label %173, label %194

173:
  %174 = load i32, ptr %4, align 4
  %175 = icmp ne i32 %174, 0
  br i1 %175, label %176, label %184

176:
  %177 = load ptr, ptr %3, align 8
  %178 = getelementptr %struct.flight, ptr %5, i32 0, i32 0
  %179 = load ptr, ptr %178, align 8
  %180 = load ptr, ptr %3, align 8
  %181 = getelementptr %struct.context, ptr %180, i32 0, i32 13
  %182 = load i64, ptr %181, align 8
  %183 = call i64 @gather_shared(ptr noundef %177, ptr noundef %179, i64 noundef %182)
  br label %192

184:
  %185 = load ptr, ptr %3, align 8
  %186 = getelementptr %struct.flight, ptr %5, i32 0, i32 0
  %187 = load ptr, ptr %186, align 8
  %188 = load ptr, ptr %3, align 8
  %189 = getelementptr %struct.context, ptr %188, i32 0, i32 13
  %190 = load i64, ptr %189, align 8
  %191 = call i64 @gather(ptr noundef %185, ptr noundef %187, i64 noundef %190)
  br label %192

192:
  %193 = phi i64 [ %183, %176 ], [ %191, %184 ]
  store i64 %193, ptr %10, align 8
  br label %194

194:
  %195 = load ptr, ptr %3, align 8
  %196 = load i64, ptr %10, align 8
  %197 = load i32, ptr %4, align 4
  call void @send(ptr noundef %195, ptr noundef %5, i64 noundef %196, i32 noundef %197)
  %198 = load ptr, ptr %3, align 8
  %199 = load i64, ptr %6, align 8
  %200 = load ptr, ptr %3, align 8
  %201 = getelementptr %struct.context, ptr %200, i32 0, i32 3
  %202 = load i64, ptr %201, align 8
  %203 = call i64 @evaluate(ptr noundef %198, i64 noundef %199, i64 noundef %202, i64 noundef 0)
  store i64 %203, ptr %6, align 8
  br label %47, !llvm.loop !34

204:
  %205 = load ptr, ptr %3, align 8
  %206 = load i32, ptr %4, align 4
  call void @land(ptr noundef %205, ptr noundef %5, i32 noundef %206)
  %207 = load ptr, ptr %3, align 8
  %208 = load i64, ptr %6, align 8
  %209 = load ptr, ptr %3, align 8
  %210 = getelementptr %struct.context, ptr %209, i32 0, i32 3
  %211 = load i64, ptr %210, align 8
  %212 = call i64 @evaluate(ptr noundef %207, i64 noundef %208, i64 noundef %211, i64 noundef 1)
  ret void
}

define void @expand_shared(ptr noalias noundef %0) #3 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  call void @expand_in(ptr noundef %3, i32 noundef 1)
  ret void
}

define i64 @hash(ptr noundef %0) #3 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = call i64 @hash_of(ptr noundef %3)
  ret i64 %4
}

define i64 @spread_filter(ptr noalias noundef %0, i64 noundef %1, i64 noundef %2, ptr noalias noundef %3, i64 noundef %4) #3 {
  %6 = alloca i64, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca ptr, align 8
  %11 = alloca i64, align 8
  %12 = alloca %struct.table, align 8
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  %15 = alloca i64, align 8
  %16 = alloca i64, align 8
  %17 = alloca i64, align 8
  %18 = alloca i64, align 8
  store ptr %0, ptr %7, align 8
  store i64 %1, ptr %8, align 8
  store i64 %2, ptr %9, align 8
  store ptr %3, ptr %10, align 8
  store i64 %4, ptr %11, align 8
  %19 = getelementptr inbounds nuw %struct.table, ptr %12, i32 0, i32 0
  %20 = load ptr, ptr %7, align 8
  store ptr %20, ptr %19, align 8
  %21 = getelementptr inbounds nuw %struct.table, ptr %12, i32 0, i32 1
  %22 = load i64, ptr %9, align 8
  store i64 %22, ptr %21, align 8
  %23 = load i64, ptr %8, align 8
  store i64 %23, ptr %13, align 8
  br label %24

24:
  %25 = load i64, ptr %13, align 8
  %26 = icmp ne i64 %25, 0
  br i1 %26, label %27, label %73

27:
  %28 = load i64, ptr %13, align 8
  %29 = sub i64 %28, 1
  %30 = load i64, ptr %11, align 8
  %31 = sub i64 0, %30
  %32 = and i64 %29, %31
  store i64 %32, ptr %14, align 8
  %33 = load ptr, ptr %7, align 8
  %34 = load i64, ptr %14, align 8
  %35 = load i64, ptr %13, align 8
  %36 = load ptr, ptr %10, align 8
  %37 = call i64 @take_piece(ptr noundef %33, i64 noundef %34, i64 noundef %35, ptr noundef %36)
  store i64 %37, ptr %15, align 8
  store i64 0, ptr %16, align 8
  br label %38

38:
  %39 = load i64, ptr %16, align 8
  %40 = load i64, ptr %15, align 8
  %41 = icmp ult i64 %39, %40
  br i1 %41, label %42, label %70

42:
  %43 = load ptr, ptr %10, align 8
  %44 = load i64, ptr %16, align 8
  %45 = getelementptr i64, ptr %43, i64 %44
  %46 = load i64, ptr %45, align 8
  store i64 %46, ptr %17, align 8
  %47 = load i64, ptr %17, align 8
  %48 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 0
  %49 = load ptr, ptr %48, align 8
  %50 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 1
  %51 = load i64, ptr %50, align 8
  %52 = call i64 @home(ptr %49, i64 %51, i64 noundef %47)
  store i64 %52, ptr %18, align 8
  %53 = load i64, ptr %18, align 8
  %54 = load i64, ptr %14, align 8
  %55 = icmp ult i64 %53, %54
  br i1 %55, label %56, label %57

56:
  store i64 1, ptr %6, align 8
  br label %74

57:
  %58 = load i64, ptr %17, align 8
  %59 = load ptr, ptr %7, align 8
  %60 = load i64, ptr %18, align 8
  %61 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 0
  %62 = load ptr, ptr %61, align 8
  %63 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 1
  %64 = load i64, ptr %63, align 8
  %65 = call i64 @free_from(ptr %62, i64 %64, i64 noundef %60)
  %66 = getelementptr i64, ptr %59, i64 %65
  store i64 %58, ptr %66, align 8
  br label %67

67:
  %68 = load i64, ptr %16, align 8
  %69 = add i64 %68, 1
  store i64 %69, ptr %16, align 8
  br label %38, !llvm.loop !35

70:
  br label %71

71:
  %72 = load i64, ptr %14, align 8
  store i64 %72, ptr %13, align 8
  br label %24, !llvm.loop !36

73:
  store i64 0, ptr %6, align 8
  br label %74

74:
  %75 = load i64, ptr %6, align 8
  ret i64 %75
}

define internal i64 @take_piece(ptr noundef %0, i64 noundef %1, i64 noundef %2, ptr noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store i64 %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store ptr %3, ptr %8, align 8
  store i64 0, ptr %9, align 8
  %12 = load i64, ptr %6, align 8
  store i64 %12, ptr %10, align 8
  br label %13

13:
  %14 = load i64, ptr %10, align 8
  %15 = load i64, ptr %7, align 8
  %16 = icmp ult i64 %14, %15
  br i1 %16, label %17, label %38

17:
  %18 = load ptr, ptr %5, align 8
  %19 = load i64, ptr %10, align 8
  %20 = getelementptr i64, ptr %18, i64 %19
  %21 = load i64, ptr %20, align 8
  store i64 %21, ptr %11, align 8
  %22 = load ptr, ptr %5, align 8
  %23 = load i64, ptr %10, align 8
  %24 = getelementptr i64, ptr %22, i64 %23
  store i64 0, ptr %24, align 8
  %25 = load i64, ptr %11, align 8
  %26 = load ptr, ptr %8, align 8
  %27 = load i64, ptr %9, align 8
  %28 = getelementptr i64, ptr %26, i64 %27
  store i64 %25, ptr %28, align 8
  %29 = load i64, ptr %11, align 8
  %30 = icmp ne i64 %29, 0
  %31 = zext i1 %30 to i32
  %32 = sext i32 %31 to i64
  %33 = load i64, ptr %9, align 8
  %34 = add i64 %33, %32
  store i64 %34, ptr %9, align 8
  br label %35

35:
  %36 = load i64, ptr %10, align 8
  %37 = add i64 %36, 1
  store i64 %37, ptr %10, align 8
  br label %13, !llvm.loop !37

38:
  %39 = load i64, ptr %9, align 8
  ret i64 %39
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
  br label %8, !llvm.loop !38

22:
  %23 = load i64, ptr %5, align 8
  ret i64 %23
}

define i64 @spread(ptr noalias noundef %0, i64 noundef %1, i64 noundef %2, ptr noalias noundef %3, i64 noundef %4) #3 {
  %6 = alloca i64, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca ptr, align 8
  %11 = alloca i64, align 8
  %12 = alloca %struct.table, align 8
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  %15 = alloca i64, align 8
  %16 = alloca ptr, align 8
  %17 = alloca i64, align 8
  %18 = alloca i64, align 8
  %19 = alloca i64, align 8
  %20 = alloca i64, align 8
  %21 = alloca i64, align 8
  %22 = alloca i64, align 8
  %23 = alloca i64, align 8
  %24 = alloca i64, align 8
  %25 = alloca %struct.shown, align 8
  %26 = alloca i64, align 8
  %27 = alloca i64, align 8
  %28 = alloca i64, align 8
  %29 = alloca i64, align 8
  %30 = alloca i64, align 8
  %31 = alloca i64, align 8
  %32 = alloca i64, align 8
  store ptr %0, ptr %7, align 8
  store i64 %1, ptr %8, align 8
  store i64 %2, ptr %9, align 8
  store ptr %3, ptr %10, align 8
  store i64 %4, ptr %11, align 8
  %33 = getelementptr inbounds nuw %struct.table, ptr %12, i32 0, i32 0
  %34 = load ptr, ptr %7, align 8
  store ptr %34, ptr %33, align 8
  %35 = getelementptr inbounds nuw %struct.table, ptr %12, i32 0, i32 1
  %36 = load i64, ptr %9, align 8
  store i64 %36, ptr %35, align 8
  %37 = load i64, ptr %11, align 8
  %38 = mul i64 %37, 4
  %39 = lshr i64 %38, 3
  store i64 %39, ptr %13, align 8
  %40 = load i64, ptr %8, align 8
  %41 = lshr i64 %40, 3
  store i64 %41, ptr %14, align 8
  %42 = load i64, ptr %9, align 8
  %43 = lshr i64 %42, 3
  store i64 %43, ptr %15, align 8
  %44 = load ptr, ptr %10, align 8
  %45 = load i64, ptr %11, align 8
  %46 = getelementptr i64, ptr %44, i64 %45
  store ptr %46, ptr %16, align 8
  %47 = load i64, ptr %8, align 8
  store i64 %47, ptr %17, align 8
  br label %48

48:
  %49 = load i64, ptr %17, align 8
  %50 = icmp ne i64 %49, 0
  br i1 %50, label %51, label %198

51:
  %52 = load i64, ptr %17, align 8
  %53 = sub i64 %52, 1
  %54 = load i64, ptr %11, align 8
  %55 = sub i64 0, %54
  %56 = and i64 %53, %55
  store i64 %56, ptr %18, align 8
  %57 = load ptr, ptr %7, align 8
  %58 = load i64, ptr %18, align 8
  %59 = load i64, ptr %17, align 8
  %60 = load ptr, ptr %10, align 8
  %61 = call i64 @take_piece(ptr noundef %57, i64 noundef %58, i64 noundef %59, ptr noundef %60)
  store i64 %61, ptr %19, align 8
  store i64 0, ptr %20, align 8
  %62 = load i64, ptr %18, align 8
  %63 = lshr i64 %62, 3
  %64 = load i64, ptr %15, align 8
  %65 = mul i64 %63, %64
  %66 = load i64, ptr %14, align 8
  %67 = udiv i64 %65, %66
  store i64 %67, ptr %21, align 8
  %68 = load i64, ptr %17, align 8
  %69 = lshr i64 %68, 3
  %70 = load i64, ptr %15, align 8
  %71 = mul i64 %69, %70
  %72 = load i64, ptr %14, align 8
  %73 = udiv i64 %71, %72
  store i64 %73, ptr %22, align 8
  %74 = load i64, ptr %22, align 8
  %75 = add i64 %74, 1
  %76 = load i64, ptr %15, align 8
  %77 = call i64 @least(i64 noundef %75, i64 noundef %76)
  %78 = load i64, ptr %21, align 8
  %79 = sub i64 %77, %78
  %80 = load i64, ptr %13, align 8
  %81 = call i64 @least(i64 noundef %79, i64 noundef %80)
  store i64 %81, ptr %23, align 8
  store i64 0, ptr %24, align 8
  br label %82

82:
  %83 = load i64, ptr %24, align 8
  %84 = load i64, ptr %23, align 8
  %85 = icmp ult i64 %83, %84
  br i1 %85, label %86, label %110

86:
  %87 = load ptr, ptr %7, align 8
  %88 = load i64, ptr %21, align 8
  %89 = load i64, ptr %24, align 8
  %90 = add i64 %88, %89
  %91 = mul i64 %90, 8
  %92 = getelementptr i64, ptr %87, i64 %91
  %93 = call { i64, i64 } @shown_by(ptr noundef %92, i64 noundef 0, i32 noundef 0)
  %94 = getelementptr inbounds nuw { i64, i64 }, ptr %25, i32 0, i32 0
  %95 = extractvalue { i64, i64 } %93, 0
  store i64 %95, ptr %94, align 8
  %96 = getelementptr inbounds nuw { i64, i64 }, ptr %25, i32 0, i32 1
  %97 = extractvalue { i64, i64 } %93, 1
  store i64 %97, ptr %96, align 8
  %98 = getelementptr %struct.shown, ptr %25, i32 0, i32 1
  %99 = load i64, ptr %98, align 8
  %100 = call i64 @llvm.ctpop.i64(i64 %99)
  %101 = trunc i64 %100 to i32
  %102 = sub i32 8, %101
  %103 = trunc i32 %102 to i8
  %104 = load ptr, ptr %16, align 8
  %105 = load i64, ptr %24, align 8
  %106 = getelementptr i8, ptr %104, i64 %105
  store i8 %103, ptr %106, align 1
  br label %107

107:
  %108 = load i64, ptr %24, align 8
  %109 = add i64 %108, 1
  store i64 %109, ptr %24, align 8
  br label %82, !llvm.loop !39

110:
  store i64 0, ptr %26, align 8
  br label %111

111:
  %112 = load i64, ptr %26, align 8
  %113 = load i64, ptr %19, align 8
  %114 = icmp ult i64 %112, %113
  br i1 %114, label %115, label %162

115:
  %116 = load ptr, ptr %10, align 8
  %117 = load i64, ptr %26, align 8
  %118 = getelementptr i64, ptr %116, i64 %117
  %119 = load i64, ptr %118, align 8
  store i64 %119, ptr %27, align 8
  %120 = load i64, ptr %27, align 8
  %121 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 0
  %122 = load ptr, ptr %121, align 8
  %123 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 1
  %124 = load i64, ptr %123, align 8
  %125 = call i64 @bucket_home(ptr %122, i64 %124, i64 noundef %120)
  store i64 %125, ptr %28, align 8
  %126 = load i64, ptr %28, align 8
  %127 = lshr i64 %126, 3
  %128 = load i64, ptr %21, align 8
  %129 = sub i64 %127, %128
  store i64 %129, ptr %29, align 8
  %130 = load i64, ptr %29, align 8
  %131 = load i64, ptr %23, align 8
  %132 = icmp ult i64 %130, %131
  br i1 %132, label %133, label %152

133:
  %134 = load ptr, ptr %16, align 8
  %135 = load i64, ptr %29, align 8
  %136 = getelementptr i8, ptr %134, i64 %135
  %137 = load i8, ptr %136, align 1
  %138 = zext i8 %137 to i32
  %139 = icmp slt i32 %138, 8
  br i1 %139, label %140, label %152

140:
  %141 = load i64, ptr %27, align 8
  %142 = load ptr, ptr %7, align 8
  %143 = load i64, ptr %28, align 8
  %144 = load ptr, ptr %16, align 8
  %145 = load i64, ptr %29, align 8
  %146 = getelementptr i8, ptr %144, i64 %145
  %147 = load i8, ptr %146, align 1
  %148 = add i8 %147, 1
  store i8 %148, ptr %146, align 1
  %149 = zext i8 %147 to i64
  %150 = add i64 %143, %149
  %151 = getelementptr i64, ptr %142, i64 %150
  store i64 %141, ptr %151, align 8
  br label %158

152:
  %153 = load i64, ptr %27, align 8
  %154 = load ptr, ptr %10, align 8
  %155 = load i64, ptr %20, align 8
  %156 = add i64 %155, 1
  store i64 %156, ptr %20, align 8
  %157 = getelementptr i64, ptr %154, i64 %155
  store i64 %153, ptr %157, align 8
  br label %158

158:
  br label %159

159:
  %160 = load i64, ptr %26, align 8
  %161 = add i64 %160, 1
  store i64 %161, ptr %26, align 8
  br label %111, !llvm.loop !40

162:
  store i64 0, ptr %30, align 8
  br label %163

163:
  %164 = load i64, ptr %30, align 8
  %165 = load i64, ptr %20, align 8
  %166 = icmp ult i64 %164, %165
  br i1 %166, label %167, label %195

167:
  %168 = load ptr, ptr %10, align 8
  %169 = load i64, ptr %30, align 8
  %170 = getelementptr i64, ptr %168, i64 %169
  %171 = load i64, ptr %170, align 8
  store i64 %171, ptr %31, align 8
  %172 = load i64, ptr %31, align 8
  %173 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 0
  %174 = load ptr, ptr %173, align 8
  %175 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 1
  %176 = load i64, ptr %175, align 8
  %177 = call i64 @bucket_home(ptr %174, i64 %176, i64 noundef %172)
  store i64 %177, ptr %32, align 8
  %178 = load i64, ptr %32, align 8
  %179 = load i64, ptr %18, align 8
  %180 = icmp ult i64 %178, %179
  br i1 %180, label %181, label %182

181:
  store i64 1, ptr %6, align 8
  br label %199

182:
  %183 = load i64, ptr %31, align 8
  %184 = load ptr, ptr %7, align 8
  %185 = load i64, ptr %32, align 8
  %186 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 0
  %187 = load ptr, ptr %186, align 8
  %188 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 1
  %189 = load i64, ptr %188, align 8
  %190 = call i64 @bucket_free_from(ptr %187, i64 %189, i64 noundef %185)
  %191 = getelementptr i64, ptr %184, i64 %190
  store i64 %183, ptr %191, align 8
  br label %192

192:
  %193 = load i64, ptr %30, align 8
  %194 = add i64 %193, 1
  store i64 %194, ptr %30, align 8
  br label %163, !llvm.loop !41

195:
  br label %196

196:
  %197 = load i64, ptr %18, align 8
  store i64 %197, ptr %17, align 8
  br label %48, !llvm.loop !42

198:
  store i64 0, ptr %6, align 8
  br label %199

199:
  %200 = load i64, ptr %6, align 8
  ret i64 %200
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

declare i64 @llvm.ctpop.i64(i64) #4

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

define internal i64 @bucket_free_from(ptr %0, i64 %1, i64 noundef %2) #1 {
  %4 = alloca %struct.table, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca %struct.shown, align 8
  %8 = getelementptr inbounds nuw { ptr, i64 }, ptr %4, i32 0, i32 0
  store ptr %0, ptr %8, align 8
  %9 = getelementptr inbounds nuw { ptr, i64 }, ptr %4, i32 0, i32 1
  store i64 %1, ptr %9, align 8
  store i64 %2, ptr %5, align 8
  br label %10

10:
  %11 = getelementptr %struct.table, ptr %4, i32 0, i32 0
  %12 = load ptr, ptr %11, align 8
  %13 = load i64, ptr %5, align 8
  %14 = getelementptr i64, ptr %12, i64 %13
  %15 = call { i64, i64 } @shown_by(ptr noundef %14, i64 noundef 0, i32 noundef 0)
  %16 = getelementptr inbounds nuw { i64, i64 }, ptr %7, i32 0, i32 0
  %17 = extractvalue { i64, i64 } %15, 0
  store i64 %17, ptr %16, align 8
  %18 = getelementptr inbounds nuw { i64, i64 }, ptr %7, i32 0, i32 1
  %19 = extractvalue { i64, i64 } %15, 1
  store i64 %19, ptr %18, align 8
  %20 = getelementptr %struct.shown, ptr %7, i32 0, i32 1
  %21 = load i64, ptr %20, align 8
  store i64 %21, ptr %6, align 8
  %22 = load i64, ptr %6, align 8
  %23 = icmp ne i64 %22, 0
  br i1 %23, label %24, label %31

24:
  %25 = load i64, ptr %5, align 8
  %26 = load i64, ptr %6, align 8
  %27 = call i64 @llvm.cttz.i64(i64 %26, i1 true)
  %28 = trunc i64 %27 to i32
  %29 = sext i32 %28 to i64
  %30 = add i64 %25, %29
  ret i64 %30

31:
  br label %32

32:
  %33 = load i64, ptr %5, align 8
  %34 = getelementptr inbounds nuw { ptr, i64 }, ptr %4, i32 0, i32 0
  %35 = load ptr, ptr %34, align 8
  %36 = getelementptr inbounds nuw { ptr, i64 }, ptr %4, i32 0, i32 1
  %37 = load i64, ptr %36, align 8
  %38 = call i64 @after(ptr %35, i64 %37, i64 noundef %33, i64 noundef 8)
  store i64 %38, ptr %5, align 8
  br label %10
}

define void @absorb(ptr noalias noundef %0, i64 noundef %1, i64 noundef %2) #3 {
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca %struct.visited, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca %struct.table, align 8
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %12 = load ptr, ptr %4, align 8
  call void @visited_at_entry(ptr dead_on_unwind writable sret(%struct.visited) align 8 %7, ptr noundef %12, i32 noundef 1)
  %13 = load i64, ptr %5, align 8
  store i64 %13, ptr %8, align 8
  br label %14

14:
  %15 = load i64, ptr %8, align 8
  %16 = load i64, ptr %6, align 8
  %17 = icmp ult i64 %15, %16
  br i1 %17, label %18, label %50

18:
  %19 = load ptr, ptr %4, align 8
  %20 = load ptr, ptr %4, align 8
  %21 = load i64, ptr %8, align 8
  %22 = call ptr @record(ptr noundef %20, i64 noundef %21)
  %23 = call i64 @place_hash(ptr noundef %19, ptr noundef %22)
  store i64 %23, ptr %9, align 8
  %24 = load i64, ptr %9, align 8
  %25 = call i64 @fingerprint(i64 noundef %24)
  store i64 %25, ptr %10, align 8
  %26 = load i64, ptr %9, align 8
  %27 = call { ptr, i64 } @filter_of(ptr noundef %7, i64 noundef %26)
  %28 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 0
  %29 = extractvalue { ptr, i64 } %27, 0
  store ptr %29, ptr %28, align 8
  %30 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 1
  %31 = extractvalue { ptr, i64 } %27, 1
  store i64 %31, ptr %30, align 8
  %32 = load i64, ptr %10, align 8
  %33 = getelementptr %struct.table, ptr %11, i32 0, i32 0
  %34 = load ptr, ptr %33, align 8
  %35 = load i64, ptr %10, align 8
  %36 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 0
  %37 = load ptr, ptr %36, align 8
  %38 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 1
  %39 = load i64, ptr %38, align 8
  %40 = call i64 @home(ptr %37, i64 %39, i64 noundef %35)
  %41 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 0
  %42 = load ptr, ptr %41, align 8
  %43 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 1
  %44 = load i64, ptr %43, align 8
  %45 = call i64 @free_from(ptr %42, i64 %44, i64 noundef %40)
  %46 = getelementptr i64, ptr %34, i64 %45
  store i64 %32, ptr %46, align 8
  br label %47

47:
  %48 = load i64, ptr %8, align 8
  %49 = add i64 %48, 1
  store i64 %49, ptr %8, align 8
  br label %14, !llvm.loop !43

50:
  ret void
}

define internal void @visited_at_entry(ptr dead_on_unwind noalias writable sret(%struct.visited) align 8 %0, ptr noundef %1, i32 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  store ptr %1, ptr %4, align 8
  store i32 %2, ptr %5, align 4
  %6 = load i32, ptr %5, align 4
  %7 = icmp ne i32 %6, 0
  br i1 %7, label %17, label %8

8:
  call void @llvm.memset.p0.i64(ptr align 8 %0, i8 0, i64 56, i1 false)
  %9 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 0
  %10 = load ptr, ptr %4, align 8
  store ptr %10, ptr %9, align 8
  %11 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 1
  %12 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 2
  %13 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 3
  %14 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 4
  %15 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 5
  %16 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 6
  br label %42

17:
  %18 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 0
  %19 = load ptr, ptr %4, align 8
  store ptr %19, ptr %18, align 8
  %20 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 1
  store i32 1, ptr %20, align 8
  %21 = getelementptr i8, ptr %0, i64 12
  call void @llvm.memset.p0.i64(ptr align 4 %21, i8 0, i64 4, i1 false)
  %22 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 2
  %23 = load ptr, ptr %4, align 8
  %24 = getelementptr %struct.context, ptr %23, i32 0, i32 35
  %25 = load i64, ptr %24, align 8
  store i64 %25, ptr %22, align 8
  %26 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 3
  %27 = load ptr, ptr %4, align 8
  %28 = getelementptr %struct.context, ptr %27, i32 0, i32 34
  %29 = load i64, ptr %28, align 8
  store i64 %29, ptr %26, align 8
  %30 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 4
  %31 = load ptr, ptr %4, align 8
  %32 = getelementptr %struct.context, ptr %31, i32 0, i32 41
  %33 = load i64, ptr %32, align 8
  store i64 %33, ptr %30, align 8
  %34 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 5
  %35 = load ptr, ptr %4, align 8
  %36 = getelementptr %struct.context, ptr %35, i32 0, i32 39
  %37 = load ptr, ptr %36, align 8
  store ptr %37, ptr %34, align 8
  %38 = getelementptr inbounds nuw %struct.visited, ptr %0, i32 0, i32 6
  %39 = load ptr, ptr %4, align 8
  %40 = getelementptr %struct.context, ptr %39, i32 0, i32 42
  %41 = load ptr, ptr %40, align 8
  store ptr %41, ptr %38, align 8
  br label %42

42:
  ret void
}

define internal i64 @fingerprint(i64 noundef %0) #1 {
  %2 = alloca i64, align 8
  store i64 %0, ptr %2, align 8
  %3 = load i64, ptr %2, align 8
  %4 = icmp ne i64 %3, 0
  br i1 %4, label %5, label %7

5:
  %6 = load i64, ptr %2, align 8
  br label %8

7:
  br label %8

8:
  %9 = phi i64 [ %6, %5 ], [ 1, %7 ]
  ret i64 %9
}

define internal { ptr, i64 } @filter_of(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca %struct.table, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = getelementptr %struct.visited, ptr %7, i32 0, i32 1
  %9 = load i32, ptr %8, align 8
  %10 = icmp ne i32 %9, 0
  br i1 %10, label %24, label %11

11:
  %12 = getelementptr inbounds nuw %struct.table, ptr %3, i32 0, i32 0
  %13 = load ptr, ptr %4, align 8
  %14 = getelementptr %struct.visited, ptr %13, i32 0, i32 0
  %15 = load ptr, ptr %14, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 37
  %17 = load ptr, ptr %16, align 8
  store ptr %17, ptr %12, align 8
  %18 = getelementptr inbounds nuw %struct.table, ptr %3, i32 0, i32 1
  %19 = load ptr, ptr %4, align 8
  %20 = getelementptr %struct.visited, ptr %19, i32 0, i32 0
  %21 = load ptr, ptr %20, align 8
  %22 = getelementptr %struct.context, ptr %21, i32 0, i32 38
  %23 = load i64, ptr %22, align 8
  store i64 %23, ptr %18, align 8
  br label %42

24:
  %25 = load ptr, ptr %4, align 8
  %26 = getelementptr %struct.visited, ptr %25, i32 0, i32 5
  %27 = load ptr, ptr %26, align 8
  %28 = load ptr, ptr %4, align 8
  %29 = load i64, ptr %5, align 8
  %30 = call i64 @part_of(ptr noundef %28, i64 noundef %29)
  %31 = mul i64 %30, 4
  %32 = getelementptr i64, ptr %27, i64 %31
  store ptr %32, ptr %6, align 8
  %33 = getelementptr inbounds nuw %struct.table, ptr %3, i32 0, i32 0
  %34 = load ptr, ptr %6, align 8
  %35 = getelementptr i64, ptr %34, i64 2
  %36 = load i64, ptr %35, align 8
  %37 = inttoptr i64 %36 to ptr
  store ptr %37, ptr %33, align 8
  %38 = getelementptr inbounds nuw %struct.table, ptr %3, i32 0, i32 1
  %39 = load ptr, ptr %6, align 8
  %40 = getelementptr i64, ptr %39, i64 3
  %41 = load i64, ptr %40, align 8
  store i64 %41, ptr %38, align 8
  br label %42

42:
  %43 = load { ptr, i64 }, ptr %3, align 8
  ret { ptr, i64 } %43
}

define void @adopt(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef %4, ptr noundef %5) #3 {
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca ptr, align 8
  %12 = alloca ptr, align 8
  store ptr %0, ptr %7, align 8
  store ptr %1, ptr %8, align 8
  store i64 %2, ptr %9, align 8
  store i64 %3, ptr %10, align 8
  store ptr %4, ptr %11, align 8
  store ptr %5, ptr %12, align 8
  %13 = load ptr, ptr %7, align 8
  %14 = load ptr, ptr %8, align 8
  %15 = load i64, ptr %9, align 8
  %16 = load i64, ptr %10, align 8
  %17 = load ptr, ptr %11, align 8
  %18 = load ptr, ptr %12, align 8
  call void @adopt_in(ptr noundef %13, ptr noundef %14, i64 noundef %15, i64 noundef %16, ptr noundef %17, ptr noundef %18, i32 noundef 1)
  ret void
}

define internal void @adopt_in(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef %4, ptr noundef %5, i32 noundef %6) #1 {
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca ptr, align 8
  %13 = alloca ptr, align 8
  %14 = alloca i32, align 4
  %15 = alloca %struct.visited, align 8
  %16 = alloca i64, align 8
  %17 = alloca ptr, align 8
  %18 = alloca i64, align 8
  %19 = alloca i64, align 8
  %20 = alloca ptr, align 8
  %21 = alloca i64, align 8
  %22 = alloca i64, align 8
  %23 = alloca %struct.table, align 8
  store ptr %0, ptr %8, align 8
  store ptr %1, ptr %9, align 8
  store i64 %2, ptr %10, align 8
  store i64 %3, ptr %11, align 8
  store ptr %4, ptr %12, align 8
  store ptr %5, ptr %13, align 8
  store i32 %6, ptr %14, align 4
  %24 = load ptr, ptr %8, align 8
  call void @visited_at_entry(ptr dead_on_unwind writable sret(%struct.visited) align 8 %15, ptr noundef %24, i32 noundef 1)
  %25 = load i64, ptr %10, align 8
  store i64 %25, ptr %16, align 8
  br label %26

26:
  %27 = load i64, ptr %16, align 8
  %28 = load i64, ptr %11, align 8
  %29 = icmp ult i64 %27, %28
  br i1 %29, label %30, label %124

30:
  %31 = load ptr, ptr %9, align 8
  %32 = load i64, ptr %16, align 8
  %33 = load i64, ptr @words, align 8
  %34 = add i64 %33, 1
  %35 = mul i64 %32, %34
  %36 = getelementptr i64, ptr %31, i64 %35
  store ptr %36, ptr %17, align 8
  %37 = load ptr, ptr %8, align 8
  %38 = load ptr, ptr %17, align 8
  %39 = call i64 @place_hash(ptr noundef %37, ptr noundef %38)
  store i64 %39, ptr %18, align 8
  %40 = load ptr, ptr %8, align 8
  %41 = getelementptr %struct.context, ptr %40, i32 0, i32 3
  %42 = load i64, ptr %41, align 8
  store i64 %42, ptr %19, align 8
  %43 = load ptr, ptr %8, align 8
  %44 = load i64, ptr %19, align 8
  %45 = call ptr @record(ptr noundef %43, i64 noundef %44)
  store ptr %45, ptr %20, align 8
  %46 = load ptr, ptr %17, align 8
  %47 = load i64, ptr @words, align 8
  %48 = getelementptr i64, ptr %46, i64 %47
  %49 = load i64, ptr %48, align 8
  store i64 %49, ptr %21, align 8
  %50 = load i64, ptr %21, align 8
  %51 = lshr i64 %50, 16
  store i64 %51, ptr %22, align 8
  %52 = load i64, ptr %22, align 8
  %53 = icmp ne i64 %52, 281474976710655
  br i1 %53, label %54, label %64

54:
  %55 = load ptr, ptr %12, align 8
  %56 = load i64, ptr %22, align 8
  %57 = lshr i64 %56, 40
  %58 = getelementptr ptr, ptr %55, i64 %57
  %59 = load ptr, ptr %58, align 8
  %60 = load i64, ptr %22, align 8
  %61 = and i64 %60, 1099511627775
  %62 = getelementptr i64, ptr %59, i64 %61
  %63 = load i64, ptr %62, align 8
  store i64 %63, ptr %22, align 8
  br label %64

64:
  %65 = load ptr, ptr %20, align 8
  %66 = load ptr, ptr %17, align 8
  call void @copy(ptr noundef %65, ptr noundef %66, i64 noundef 0)
  %67 = load i64, ptr %22, align 8
  %68 = load i64, ptr %21, align 8
  %69 = and i64 %68, 65535
  %70 = call i64 @predecessor_of(i64 noundef %67, i64 noundef %69)
  %71 = load ptr, ptr %20, align 8
  %72 = load i64, ptr @words, align 8
  %73 = getelementptr i64, ptr %71, i64 %72
  store i64 %70, ptr %73, align 8
  %74 = load ptr, ptr %8, align 8
  %75 = getelementptr %struct.context, ptr %74, i32 0, i32 34
  %76 = load i64, ptr %75, align 8
  %77 = load i64, ptr %19, align 8
  %78 = call i64 @name_of(i64 noundef %76, i64 noundef %77)
  %79 = load ptr, ptr %13, align 8
  %80 = load i64, ptr %16, align 8
  %81 = getelementptr i64, ptr %79, i64 %80
  store i64 %78, ptr %81, align 8
  %82 = load i64, ptr %19, align 8
  %83 = add i64 %82, 1
  %84 = load ptr, ptr %8, align 8
  %85 = getelementptr %struct.context, ptr %84, i32 0, i32 3
  store i64 %83, ptr %85, align 8
  %86 = load i32, ptr %14, align 4
  %87 = icmp ne i32 %86, 0
  br i1 %87, label %88, label %112

88:
  %89 = load i64, ptr %18, align 8
  %90 = call { ptr, i64 } @table_of(ptr noundef %15, i64 noundef %89)
  %91 = getelementptr inbounds nuw { ptr, i64 }, ptr %23, i32 0, i32 0
  %92 = extractvalue { ptr, i64 } %90, 0
  store ptr %92, ptr %91, align 8
  %93 = getelementptr inbounds nuw { ptr, i64 }, ptr %23, i32 0, i32 1
  %94 = extractvalue { ptr, i64 } %90, 1
  store i64 %94, ptr %93, align 8
  %95 = load i64, ptr %18, align 8
  %96 = load i64, ptr %19, align 8
  %97 = call i64 @own_slot(ptr noundef %15, i64 noundef %95, i64 noundef %96)
  %98 = getelementptr %struct.table, ptr %23, i32 0, i32 0
  %99 = load ptr, ptr %98, align 8
  %100 = load i64, ptr %18, align 8
  %101 = getelementptr inbounds nuw { ptr, i64 }, ptr %23, i32 0, i32 0
  %102 = load ptr, ptr %101, align 8
  %103 = getelementptr inbounds nuw { ptr, i64 }, ptr %23, i32 0, i32 1
  %104 = load i64, ptr %103, align 8
  %105 = call i64 @bucket_home(ptr %102, i64 %104, i64 noundef %100)
  %106 = getelementptr inbounds nuw { ptr, i64 }, ptr %23, i32 0, i32 0
  %107 = load ptr, ptr %106, align 8
  %108 = getelementptr inbounds nuw { ptr, i64 }, ptr %23, i32 0, i32 1
  %109 = load i64, ptr %108, align 8
  %110 = call i64 @bucket_free_from(ptr %107, i64 %109, i64 noundef %105)
  %111 = getelementptr i64, ptr %99, i64 %110
  store i64 %97, ptr %111, align 8
  br label %112

112:
  %113 = load ptr, ptr %8, align 8
  %114 = getelementptr %struct.context, ptr %113, i32 0, i32 40
  %115 = load ptr, ptr %114, align 8
  %116 = load i64, ptr %18, align 8
  %117 = call i64 @part_of(ptr noundef %15, i64 noundef %116)
  %118 = getelementptr i64, ptr %115, i64 %117
  %119 = load i64, ptr %118, align 8
  %120 = add i64 %119, 1
  store i64 %120, ptr %118, align 8
  br label %121

121:
  %122 = load i64, ptr %16, align 8
  %123 = add i64 %122, 1
  store i64 %123, ptr %16, align 8
  br label %26, !llvm.loop !44

124:
  ret void
}

define void @adopt_records(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef %4, ptr noundef %5) #3 {
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca ptr, align 8
  %12 = alloca ptr, align 8
  store ptr %0, ptr %7, align 8
  store ptr %1, ptr %8, align 8
  store i64 %2, ptr %9, align 8
  store i64 %3, ptr %10, align 8
  store ptr %4, ptr %11, align 8
  store ptr %5, ptr %12, align 8
  %13 = load ptr, ptr %7, align 8
  %14 = load ptr, ptr %8, align 8
  %15 = load i64, ptr %9, align 8
  %16 = load i64, ptr %10, align 8
  %17 = load ptr, ptr %11, align 8
  %18 = load ptr, ptr %12, align 8
  call void @adopt_in(ptr noundef %13, ptr noundef %14, i64 noundef %15, i64 noundef %16, ptr noundef %17, ptr noundef %18, i32 noundef 0)
  ret void
}

define internal i64 @load_slot(ptr noundef %0, ptr noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %6 = load ptr, ptr %3, align 8
  %7 = getelementptr %struct.visited, ptr %6, i32 0, i32 1
  %8 = load i32, ptr %7, align 8
  %9 = icmp ne i32 %8, 0
  br i1 %9, label %10, label %14

10:
  %11 = load ptr, ptr %4, align 8
  %12 = load atomic i64, ptr %11 acquire, align 8
  store i64 %12, ptr %5, align 8
  %13 = load i64, ptr %5, align 8
  br label %17

14:
  %15 = load ptr, ptr %4, align 8
  %16 = load i64, ptr %15, align 8
  br label %17

17:
  %18 = phi i64 [ %13, %10 ], [ %16, %14 ]
  ret i64 %18
}

define internal ptr @named(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = load i64, ptr %4, align 8
  %7 = lshr i64 %6, 40
  %8 = load i64, ptr %4, align 8
  %9 = and i64 %8, 1099511627775
  %10 = call ptr @record_of(ptr noundef %5, i64 noundef %7, i64 noundef %9)
  ret ptr %10
}

define internal i32 @exchange(ptr noundef %0, ptr noundef %1, i64 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i8, align 1
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %9 = load ptr, ptr %4, align 8
  %10 = load ptr, ptr %5, align 8
  %11 = load i64, ptr %6, align 8
  store i64 %11, ptr %7, align 8
  %12 = load i64, ptr %10, align 8
  %13 = load i64, ptr %7, align 8
  %14 = cmpxchg ptr %9, i64 %12, i64 %13 acq_rel acquire, align 8
  %15 = extractvalue { i64, i1 } %14, 0
  %16 = extractvalue { i64, i1 } %14, 1
  br i1 %16, label %18, label %17

17:
  store i64 %15, ptr %10, align 8
  br label %18

18:
  %19 = zext i1 %16 to i8
  store i8 %19, ptr %8, align 1
  %20 = load i8, ptr %8, align 1, !range !45, !noundef !46
  %21 = trunc i8 %20 to i1
  %22 = zext i1 %21 to i32
  ret i32 %22
}

define internal ptr @record_of(ptr noundef %0, i64 noundef %1, i64 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = getelementptr %struct.context, ptr %7, i32 0, i32 36
  %9 = load ptr, ptr %8, align 8
  %10 = load i64, ptr %5, align 8
  %11 = getelementptr ptr, ptr %9, i64 %10
  %12 = load ptr, ptr %11, align 8
  %13 = load i64, ptr %6, align 8
  %14 = load i64, ptr @words, align 8
  %15 = add i64 %14, 1
  %16 = mul i64 %13, %15
  %17 = getelementptr i64, ptr %12, i64 %16
  ret ptr %17
}

define internal i32 @in_filter(ptr %0, i64 %1, i64 noundef %2) #1 {
  %4 = alloca i32, align 4
  %5 = alloca %struct.table, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = getelementptr inbounds nuw { ptr, i64 }, ptr %5, i32 0, i32 0
  store ptr %0, ptr %10, align 8
  %11 = getelementptr inbounds nuw { ptr, i64 }, ptr %5, i32 0, i32 1
  store i64 %1, ptr %11, align 8
  store i64 %2, ptr %6, align 8
  %12 = load i64, ptr %6, align 8
  %13 = call i64 @fingerprint(i64 noundef %12)
  store i64 %13, ptr %7, align 8
  %14 = load i64, ptr %6, align 8
  %15 = getelementptr inbounds nuw { ptr, i64 }, ptr %5, i32 0, i32 0
  %16 = load ptr, ptr %15, align 8
  %17 = getelementptr inbounds nuw { ptr, i64 }, ptr %5, i32 0, i32 1
  %18 = load i64, ptr %17, align 8
  %19 = call i64 @home(ptr %16, i64 %18, i64 noundef %14)
  store i64 %19, ptr %8, align 8
  br label %20

20:
  %21 = getelementptr %struct.table, ptr %5, i32 0, i32 0
  %22 = load ptr, ptr %21, align 8
  %23 = load i64, ptr %8, align 8
  %24 = getelementptr i64, ptr %22, i64 %23
  %25 = load i64, ptr %24, align 8
  store i64 %25, ptr %9, align 8
  %26 = load i64, ptr %9, align 8
  %27 = icmp ne i64 %26, 0
  br i1 %27, label %29, label %28

28:
  store i32 0, ptr %4, align 4
  br label %42

29:
  %30 = load i64, ptr %9, align 8
  %31 = load i64, ptr %7, align 8
  %32 = icmp eq i64 %30, %31
  br i1 %32, label %33, label %34

33:
  store i32 1, ptr %4, align 4
  br label %42

34:
  br label %35

35:
  %36 = load i64, ptr %8, align 8
  %37 = getelementptr inbounds nuw { ptr, i64 }, ptr %5, i32 0, i32 0
  %38 = load ptr, ptr %37, align 8
  %39 = getelementptr inbounds nuw { ptr, i64 }, ptr %5, i32 0, i32 1
  %40 = load i64, ptr %39, align 8
  %41 = call i64 @after(ptr %38, i64 %40, i64 noundef %36, i64 noundef 1)
  store i64 %41, ptr %8, align 8
  br label %20

42:
  %43 = load i32, ptr %4, align 4
  ret i32 %43
}

define internal { ptr, i64 } @table_of(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca %struct.table, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = getelementptr %struct.visited, ptr %7, i32 0, i32 1
  %9 = load i32, ptr %8, align 8
  %10 = icmp ne i32 %9, 0
  br i1 %10, label %24, label %11

11:
  %12 = getelementptr inbounds nuw %struct.table, ptr %3, i32 0, i32 0
  %13 = load ptr, ptr %4, align 8
  %14 = getelementptr %struct.visited, ptr %13, i32 0, i32 0
  %15 = load ptr, ptr %14, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 1
  %17 = load ptr, ptr %16, align 8
  store ptr %17, ptr %12, align 8
  %18 = getelementptr inbounds nuw %struct.table, ptr %3, i32 0, i32 1
  %19 = load ptr, ptr %4, align 8
  %20 = getelementptr %struct.visited, ptr %19, i32 0, i32 0
  %21 = load ptr, ptr %20, align 8
  %22 = getelementptr %struct.context, ptr %21, i32 0, i32 2
  %23 = load i64, ptr %22, align 8
  store i64 %23, ptr %18, align 8
  br label %42

24:
  %25 = load ptr, ptr %4, align 8
  %26 = getelementptr %struct.visited, ptr %25, i32 0, i32 5
  %27 = load ptr, ptr %26, align 8
  %28 = load ptr, ptr %4, align 8
  %29 = load i64, ptr %5, align 8
  %30 = call i64 @part_of(ptr noundef %28, i64 noundef %29)
  %31 = mul i64 %30, 4
  %32 = getelementptr i64, ptr %27, i64 %31
  store ptr %32, ptr %6, align 8
  %33 = getelementptr inbounds nuw %struct.table, ptr %3, i32 0, i32 0
  %34 = load ptr, ptr %6, align 8
  %35 = getelementptr i64, ptr %34, i64 0
  %36 = load i64, ptr %35, align 8
  %37 = inttoptr i64 %36 to ptr
  store ptr %37, ptr %33, align 8
  %38 = getelementptr inbounds nuw %struct.table, ptr %3, i32 0, i32 1
  %39 = load ptr, ptr %6, align 8
  %40 = getelementptr i64, ptr %39, i64 1
  %41 = load i64, ptr %40, align 8
  store i64 %41, ptr %38, align 8
  br label %42

42:
  %43 = load { ptr, i64 }, ptr %3, align 8
  ret { ptr, i64 } %43
}

define internal { ptr, i64 } @known_by(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca %struct.known, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  %8 = load i64, ptr %5, align 8
  %9 = sub i64 %8, 1
  %10 = and i64 %9, 4294967295
  store i64 %10, ptr %6, align 8
  %11 = load ptr, ptr %4, align 8
  %12 = getelementptr %struct.visited, ptr %11, i32 0, i32 1
  %13 = load i32, ptr %12, align 8
  %14 = icmp ne i32 %13, 0
  br i1 %14, label %32, label %15

15:
  %16 = getelementptr inbounds nuw %struct.known, ptr %3, i32 0, i32 0
  %17 = load ptr, ptr %4, align 8
  %18 = getelementptr %struct.visited, ptr %17, i32 0, i32 0
  %19 = load ptr, ptr %18, align 8
  %20 = load i64, ptr %6, align 8
  %21 = call ptr @record(ptr noundef %19, i64 noundef %20)
  store ptr %21, ptr %16, align 8
  %22 = getelementptr inbounds nuw %struct.known, ptr %3, i32 0, i32 1
  %23 = load i64, ptr %6, align 8
  %24 = load ptr, ptr %4, align 8
  %25 = getelementptr %struct.visited, ptr %24, i32 0, i32 0
  %26 = load ptr, ptr %25, align 8
  %27 = getelementptr %struct.context, ptr %26, i32 0, i32 6
  %28 = load i64, ptr %27, align 8
  %29 = icmp ult i64 %23, %28
  %30 = zext i1 %29 to i32
  %31 = sext i32 %30 to i64
  store i64 %31, ptr %22, align 8
  br label %61

32:
  %33 = load ptr, ptr %4, align 8
  %34 = getelementptr %struct.visited, ptr %33, i32 0, i32 6
  %35 = load ptr, ptr %34, align 8
  %36 = load i64, ptr %6, align 8
  %37 = load ptr, ptr %4, align 8
  %38 = getelementptr %struct.visited, ptr %37, i32 0, i32 4
  %39 = load i64, ptr %38, align 8
  %40 = lshr i64 %36, %39
  %41 = mul i64 %40, 2
  %42 = getelementptr i64, ptr %35, i64 %41
  store ptr %42, ptr %7, align 8
  %43 = getelementptr inbounds nuw %struct.known, ptr %3, i32 0, i32 0
  %44 = load ptr, ptr %7, align 8
  %45 = getelementptr i64, ptr %44, i64 0
  %46 = load i64, ptr %45, align 8
  %47 = inttoptr i64 %46 to ptr
  %48 = load i64, ptr %6, align 8
  %49 = load i64, ptr @words, align 8
  %50 = add i64 %49, 1
  %51 = mul i64 %48, %50
  %52 = getelementptr i64, ptr %47, i64 %51
  store ptr %52, ptr %43, align 8
  %53 = getelementptr inbounds nuw %struct.known, ptr %3, i32 0, i32 1
  %54 = load i64, ptr %6, align 8
  %55 = load ptr, ptr %7, align 8
  %56 = getelementptr i64, ptr %55, i64 1
  %57 = load i64, ptr %56, align 8
  %58 = icmp ult i64 %54, %57
  %59 = zext i1 %58 to i32
  %60 = sext i32 %59 to i64
  store i64 %60, ptr %53, align 8
  br label %61

61:
  %62 = load { ptr, i64 }, ptr %3, align 8
  ret { ptr, i64 } %62
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
  br label %7, !llvm.loop !47

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

define internal i32 @inside(ptr noundef %0, ptr noundef %1, i64 noundef %2) #1 {
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca %struct.step_lanes, align 8
  %14 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  %15 = load ptr, ptr %5, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 32
  %17 = load ptr, ptr %16, align 8
  %18 = load ptr, ptr %6, align 8
  %19 = call i64 %17(ptr noundef %18)
  store i64 %19, ptr %8, align 8
  %20 = load i64, ptr %8, align 8
  %21 = icmp eq i64 %20, 1
  br i1 %21, label %22, label %23

22:
  store i32 1, ptr %4, align 4
  br label %102

23:
  %24 = load i64, ptr @dominating, align 8
  %25 = icmp ne i64 %24, 0
  br i1 %25, label %26, label %29

26:
  %27 = load ptr, ptr %6, align 8
  %28 = call i64 @hash_of(ptr noundef %27)
  store i64 %28, ptr %7, align 8
  br label %29

29:
  %30 = load ptr, ptr %6, align 8
  %31 = load i64, ptr @words, align 8
  %32 = getelementptr i64, ptr %30, i64 %31
  %33 = load i64, ptr %32, align 8
  store i64 %33, ptr %9, align 8
  %34 = load i64, ptr %9, align 8
  %35 = lshr i64 %34, 16
  store i64 %35, ptr %10, align 8
  %36 = load i64, ptr %9, align 8
  %37 = and i64 %36, 65535
  store i64 %37, ptr %11, align 8
  %38 = load ptr, ptr %5, align 8
  %39 = load i64, ptr %10, align 8
  %40 = call ptr @named(ptr noundef %38, i64 noundef %39)
  %41 = call i64 @hash_of(ptr noundef %40)
  store i64 %41, ptr %12, align 8
  %42 = load ptr, ptr %5, align 8
  %43 = getelementptr %struct.context, ptr %42, i32 0, i32 26
  %44 = load ptr, ptr %43, align 8
  %45 = load i64, ptr %11, align 8
  %46 = getelementptr i64, ptr %44, i64 %45
  %47 = load i64, ptr %46, align 8
  %48 = load i64, ptr %12, align 8
  %49 = load i64, ptr %7, align 8
  %50 = call { i64, i64 } @step_lanes(i64 noundef %47, i64 noundef %48, i64 noundef %49)
  %51 = getelementptr inbounds nuw { i64, i64 }, ptr %13, i32 0, i32 0
  %52 = extractvalue { i64, i64 } %50, 0
  store i64 %52, ptr %51, align 8
  %53 = getelementptr inbounds nuw { i64, i64 }, ptr %13, i32 0, i32 1
  %54 = extractvalue { i64, i64 } %50, 1
  store i64 %54, ptr %53, align 8
  %55 = getelementptr %struct.step_lanes, ptr %13, i32 0, i32 0
  %56 = load i64, ptr %55, align 8
  %57 = load ptr, ptr %5, align 8
  %58 = getelementptr %struct.context, ptr %57, i32 0, i32 23
  %59 = load i64, ptr %58, align 8
  %60 = sub i64 %59, %56
  store i64 %60, ptr %58, align 8
  %61 = getelementptr %struct.step_lanes, ptr %13, i32 0, i32 1
  %62 = load i64, ptr %61, align 8
  %63 = load ptr, ptr %5, align 8
  %64 = getelementptr %struct.context, ptr %63, i32 0, i32 24
  %65 = load i64, ptr %64, align 8
  %66 = sub i64 %65, %62
  store i64 %66, ptr %64, align 8
  %67 = load i64, ptr %8, align 8
  %68 = icmp eq i64 %67, 2
  br i1 %68, label %69, label %77

69:
  %70 = load ptr, ptr %5, align 8
  %71 = getelementptr %struct.context, ptr %70, i32 0, i32 27
  %72 = load ptr, ptr %71, align 8
  %73 = load i64, ptr %11, align 8
  %74 = load i64, ptr %12, align 8
  %75 = load i64, ptr %10, align 8
  %76 = load i64, ptr %11, align 8
  call void @note(ptr noundef %72, i64 noundef 46, i64 noundef 1, i64 noundef %73, i64 noundef %74, i64 noundef 0, i64 noundef %75, i64 noundef %76)
  store i32 0, ptr %4, align 4
  br label %102

77:
  %78 = load ptr, ptr %5, align 8
  %79 = getelementptr %struct.context, ptr %78, i32 0, i32 20
  %80 = load i64, ptr %79, align 8
  %81 = add i64 %80, 1
  store i64 %81, ptr %79, align 8
  %82 = load ptr, ptr %5, align 8
  %83 = getelementptr %struct.context, ptr %82, i32 0, i32 29
  %84 = load ptr, ptr %83, align 8
  %85 = load ptr, ptr %6, align 8
  %86 = load ptr, ptr %5, align 8
  %87 = getelementptr %struct.context, ptr %86, i32 0, i32 8
  %88 = load i64, ptr %87, align 8
  %89 = call i64 %84(ptr noundef %85, i64 noundef %88)
  store i64 %89, ptr %14, align 8
  %90 = load i64, ptr %14, align 8
  %91 = icmp ne i64 %90, 0
  br i1 %91, label %92, label %101

92:
  %93 = load ptr, ptr %5, align 8
  %94 = load i64, ptr %14, align 8
  %95 = load i64, ptr %7, align 8
  %96 = load i64, ptr %10, align 8
  %97 = load i64, ptr %11, align 8
  %98 = load i64, ptr %11, align 8
  %99 = add i64 %98, 1
  %100 = load i64, ptr %12, align 8
  call void @note_state(ptr noundef %93, i64 noundef %94, i64 noundef %95, i64 noundef %96, i64 noundef %97, i64 noundef %99, i64 noundef %100)
  br label %101

101:
  store i32 0, ptr %4, align 4
  br label %102

102:
  %103 = load i32, ptr %4, align 4
  ret i32 %103
}

define internal i64 @own_slot(ptr noundef %0, i64 noundef %1, i64 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load i64, ptr %5, align 8
  %8 = load ptr, ptr %4, align 8
  %9 = getelementptr %struct.visited, ptr %8, i32 0, i32 1
  %10 = load i32, ptr %9, align 8
  %11 = icmp ne i32 %10, 0
  br i1 %11, label %12, label %22

12:
  %13 = load ptr, ptr %4, align 8
  %14 = getelementptr %struct.visited, ptr %13, i32 0, i32 3
  %15 = load i64, ptr %14, align 8
  %16 = load ptr, ptr %4, align 8
  %17 = getelementptr %struct.visited, ptr %16, i32 0, i32 4
  %18 = load i64, ptr %17, align 8
  %19 = shl i64 %15, %18
  %20 = load i64, ptr %6, align 8
  %21 = add i64 %19, %20
  br label %24

22:
  %23 = load i64, ptr %6, align 8
  br label %24

24:
  %25 = phi i64 [ %21, %12 ], [ %23, %22 ]
  %26 = call i64 @slot_of(i64 noundef %7, i64 noundef %25)
  ret i64 %26
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
  br label %9, !llvm.loop !48

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
  br label %25, !llvm.loop !49

44:
  ret void
}

define internal i64 @part_of(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load i64, ptr %4, align 8
  %6 = load ptr, ptr %3, align 8
  %7 = getelementptr %struct.visited, ptr %6, i32 0, i32 2
  %8 = load i64, ptr %7, align 8
  %9 = call i64 @lower_half(i64 noundef %5, i64 noundef %8)
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

define internal i64 @ranked(i64 noundef %0, i64 noundef %1) #1 {
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  store i64 %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load i64, ptr %3, align 8
  %6 = load i64, ptr %4, align 8
  %7 = shl i64 %6, 32
  %8 = xor i64 %5, %7
  ret i64 %8
}

define internal i64 @core_hash(ptr noundef %0, ptr noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %5 = load ptr, ptr %4, align 8
  %6 = load ptr, ptr %3, align 8
  %7 = getelementptr %struct.context, ptr %6, i32 0, i32 51
  %8 = load ptr, ptr %7, align 8
  %9 = call i64 @hash_bits(ptr noundef %5, ptr noundef %8, i32 noundef 0)
  ret i64 %9
}

define internal i64 @rank_of(ptr noundef %0, ptr noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  store i64 0, ptr %5, align 8
  store i64 0, ptr %6, align 8
  br label %8

8:
  %9 = load i64, ptr %6, align 8
  %10 = load ptr, ptr %3, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 53
  %12 = load i64, ptr %11, align 8
  %13 = icmp ult i64 %9, %12
  br i1 %13, label %14, label %45

14:
  %15 = load ptr, ptr %3, align 8
  %16 = load i64, ptr %6, align 8
  %17 = call ptr @budget(ptr noundef %15, i64 noundef %16)
  store ptr %17, ptr %7, align 8
  %18 = load ptr, ptr %4, align 8
  %19 = load ptr, ptr %7, align 8
  %20 = getelementptr %struct.budget, ptr %19, i32 0, i32 0
  %21 = load i64, ptr %20, align 8
  %22 = getelementptr i64, ptr %18, i64 %21
  %23 = load i64, ptr %22, align 8
  %24 = load ptr, ptr %7, align 8
  %25 = getelementptr %struct.budget, ptr %24, i32 0, i32 1
  %26 = load i64, ptr %25, align 8
  %27 = lshr i64 %23, %26
  %28 = load ptr, ptr %7, align 8
  %29 = getelementptr %struct.budget, ptr %28, i32 0, i32 2
  %30 = load i64, ptr %29, align 8
  %31 = and i64 %27, %30
  %32 = load ptr, ptr %7, align 8
  %33 = getelementptr %struct.budget, ptr %32, i32 0, i32 3
  %34 = load i64, ptr %33, align 8
  %35 = xor i64 %31, %34
  %36 = load ptr, ptr %7, align 8
  %37 = getelementptr %struct.budget, ptr %36, i32 0, i32 4
  %38 = load i64, ptr %37, align 8
  %39 = shl i64 %35, %38
  %40 = load i64, ptr %5, align 8
  %41 = or i64 %40, %39
  store i64 %41, ptr %5, align 8
  br label %42

42:
  %43 = load i64, ptr %6, align 8
  %44 = add i64 %43, 1
  store i64 %44, ptr %6, align 8
  br label %8, !llvm.loop !50

45:
  %46 = load i64, ptr %5, align 8
  ret i64 %46
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
  br label %19, !llvm.loop !51

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

define internal ptr @budget(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr %struct.context, ptr %5, i32 0, i32 52
  %7 = load ptr, ptr %6, align 8
  %8 = load i64, ptr %4, align 8
  %9 = getelementptr %struct.budget, ptr %7, i64 %8
  ret ptr %9
}

define internal i64 @name_of(i64 noundef %0, i64 noundef %1) #1 {
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  store i64 %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load i64, ptr %3, align 8
  %6 = shl i64 %5, 40
  %7 = load i64, ptr %4, align 8
  %8 = or i64 %6, %7
  ret i64 %8
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
  br label %8, !llvm.loop !52

28:
  %29 = load i64, ptr %5, align 8
  ret i64 %29
}

define internal void @finish(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca %struct.table, align 8
  %10 = alloca ptr, align 8
  %11 = alloca %struct.table, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i64 %3, ptr %8, align 8
  %12 = load ptr, ptr %5, align 8
  %13 = load i64, ptr %8, align 8
  %14 = call { ptr, i64 } @table_of(ptr noundef %12, i64 noundef %13)
  %15 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 0
  %16 = extractvalue { ptr, i64 } %14, 0
  store ptr %16, ptr %15, align 8
  %17 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 1
  %18 = extractvalue { ptr, i64 } %14, 1
  store i64 %18, ptr %17, align 8
  %19 = getelementptr %struct.table, ptr %9, i32 0, i32 0
  %20 = load ptr, ptr %19, align 8
  %21 = load i64, ptr %8, align 8
  %22 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 0
  %23 = load ptr, ptr %22, align 8
  %24 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 1
  %25 = load i64, ptr %24, align 8
  %26 = call i64 @bucket_home(ptr %23, i64 %25, i64 noundef %21)
  %27 = getelementptr i64, ptr %20, i64 %26
  store ptr %27, ptr %10, align 8
  %28 = load ptr, ptr %10, align 8
  call void @prefetch(ptr noundef %28)
  %29 = load i64, ptr @compacted, align 8
  %30 = icmp ne i64 %29, 0
  br i1 %30, label %31, label %48

31:
  %32 = load ptr, ptr %5, align 8
  %33 = load i64, ptr %8, align 8
  %34 = call { ptr, i64 } @filter_of(ptr noundef %32, i64 noundef %33)
  %35 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 0
  %36 = extractvalue { ptr, i64 } %34, 0
  store ptr %36, ptr %35, align 8
  %37 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 1
  %38 = extractvalue { ptr, i64 } %34, 1
  store i64 %38, ptr %37, align 8
  %39 = getelementptr %struct.table, ptr %11, i32 0, i32 0
  %40 = load ptr, ptr %39, align 8
  %41 = load i64, ptr %8, align 8
  %42 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 0
  %43 = load ptr, ptr %42, align 8
  %44 = getelementptr inbounds nuw { ptr, i64 }, ptr %11, i32 0, i32 1
  %45 = load i64, ptr %44, align 8
  %46 = call i64 @home(ptr %43, i64 %45, i64 noundef %41)
  %47 = getelementptr i64, ptr %40, i64 %46
  call void @prefetch(ptr noundef %47)
  br label %48

48:
  %49 = load i64, ptr %7, align 8
  %50 = load ptr, ptr %6, align 8
  %51 = load i64, ptr @words, align 8
  %52 = getelementptr i64, ptr %50, i64 %51
  store i64 %49, ptr %52, align 8
  %53 = load i64, ptr %8, align 8
  %54 = load ptr, ptr %6, align 8
  %55 = load i64, ptr @words, align 8
  %56 = add i64 %55, 1
  %57 = getelementptr i64, ptr %54, i64 %56
  store i64 %53, ptr %57, align 8
  %58 = load ptr, ptr %10, align 8
  %59 = ptrtoint ptr %58 to i64
  %60 = load ptr, ptr %6, align 8
  %61 = load i64, ptr @words, align 8
  %62 = add i64 %61, 2
  %63 = getelementptr i64, ptr %60, i64 %62
  store i64 %59, ptr %63, align 8
  ret void
}

define internal i64 @predecessor_of(i64 noundef %0, i64 noundef %1) #1 {
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  store i64 %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load i64, ptr %3, align 8
  %6 = shl i64 %5, 16
  %7 = load i64, ptr %4, align 8
  %8 = or i64 %6, %7
  ret i64 %8
}

define internal void @prefetch(ptr noundef %0) #1 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  call void @llvm.prefetch.p0(ptr %3, i32 0, i32 3, i32 1)
  ret void
}

declare void @llvm.prefetch.p0(ptr readonly captures(none), i32 immarg, i32 immarg, i32 immarg) #5

define internal i32 @simple() #1 {
  %1 = load i64, ptr @constrained, align 8
  %2 = icmp ne i64 %1, 0
  %3 = xor i1 %2, true
  %4 = zext i1 %3 to i32
  %5 = load i64, ptr @compacted, align 8
  %6 = icmp ne i64 %5, 0
  %7 = xor i1 %6, true
  %8 = zext i1 %7 to i32
  %9 = and i32 %4, %8
  ret i32 %9
}

define internal void @look_alone(ptr noundef %0, ptr noundef %1, i64 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca %struct.visited, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca ptr, align 8
  %12 = alloca i64, align 8
  %13 = alloca ptr, align 8
  %14 = alloca %struct.seen, align 8
  %15 = alloca i64, align 8
  %16 = alloca i64, align 8
  %17 = alloca i64, align 8
  %18 = alloca i64, align 8
  %19 = alloca i64, align 8
  %20 = alloca i64, align 8
  %21 = alloca i64, align 8
  %22 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %23 = load ptr, ptr %4, align 8
  call void @visited_at_entry(ptr dead_on_unwind writable sret(%struct.visited) align 8 %7, ptr noundef %23, i32 noundef 0)
  %24 = load ptr, ptr %4, align 8
  %25 = getelementptr %struct.context, ptr %24, i32 0, i32 3
  %26 = load i64, ptr %25, align 8
  store i64 %26, ptr %8, align 8
  %27 = load ptr, ptr %4, align 8
  %28 = getelementptr %struct.context, ptr %27, i32 0, i32 6
  %29 = load i64, ptr %28, align 8
  store i64 %29, ptr %9, align 8
  store i64 0, ptr %10, align 8
  br label %30

30:
  %31 = load i64, ptr %10, align 8
  %32 = load i64, ptr %6, align 8
  %33 = icmp ult i64 %31, %32
  br i1 %33, label %34, label %124

34:
  %35 = load ptr, ptr %5, align 8
  %36 = load i64, ptr %10, align 8
  %37 = call ptr @entry(ptr noundef %35, i64 noundef %36)
  store ptr %37, ptr %11, align 8
  %38 = load ptr, ptr %11, align 8
  %39 = load i64, ptr @words, align 8
  %40 = add i64 %39, 1
  %41 = getelementptr i64, ptr %38, i64 %40
  %42 = load i64, ptr %41, align 8
  store i64 %42, ptr %12, align 8
  %43 = load ptr, ptr %11, align 8
  %44 = load i64, ptr @words, align 8
  %45 = add i64 %44, 2
  %46 = getelementptr i64, ptr %43, i64 %45
  %47 = load i64, ptr %46, align 8
  %48 = inttoptr i64 %47 to ptr
  store ptr %48, ptr %13, align 8
  %49 = load ptr, ptr %13, align 8
  %50 = load i64, ptr %12, align 8
  call void @see(ptr dead_on_unwind writable sret(%struct.seen) align 8 %14, ptr noundef %49, i64 noundef %50, i32 noundef 0)
  %51 = getelementptr %struct.seen, ptr %14, i32 0, i32 2
  %52 = load ptr, ptr %51, align 8
  %53 = load i64, ptr %52, align 8
  store i64 %53, ptr %15, align 8
  %54 = load i64, ptr %12, align 8
  %55 = load i64, ptr %8, align 8
  %56 = call i64 @own_slot(ptr noundef %7, i64 noundef %54, i64 noundef %55)
  store i64 %56, ptr %16, align 8
  %57 = load i64, ptr %15, align 8
  %58 = sub i64 %57, 1
  %59 = and i64 %58, 4294967295
  store i64 %59, ptr %17, align 8
  %60 = load ptr, ptr %4, align 8
  %61 = load i64, ptr %8, align 8
  %62 = call ptr @record(ptr noundef %60, i64 noundef %61)
  %63 = load ptr, ptr %11, align 8
  call void @copy(ptr noundef %62, ptr noundef %63, i64 noundef 1)
  %64 = getelementptr %struct.seen, ptr %14, i32 0, i32 1
  %65 = load i64, ptr %64, align 8
  %66 = icmp ne i64 %65, 0
  br i1 %66, label %67, label %69

67:
  %68 = load i64, ptr %16, align 8
  br label %71

69:
  %70 = load i64, ptr %15, align 8
  br label %71

71:
  %72 = phi i64 [ %68, %67 ], [ %70, %69 ]
  %73 = getelementptr %struct.seen, ptr %14, i32 0, i32 2
  %74 = load ptr, ptr %73, align 8
  store i64 %72, ptr %74, align 8
  %75 = getelementptr %struct.seen, ptr %14, i32 0, i32 1
  %76 = load i64, ptr %75, align 8
  %77 = icmp ne i64 %76, 0
  br i1 %77, label %78, label %80

78:
  %79 = load i64, ptr %8, align 8
  br label %82

80:
  %81 = load i64, ptr %17, align 8
  br label %82

82:
  %83 = phi i64 [ %79, %78 ], [ %81, %80 ]
  store i64 %83, ptr %18, align 8
  %84 = getelementptr %struct.seen, ptr %14, i32 0, i32 1
  %85 = load i64, ptr %84, align 8
  %86 = getelementptr %struct.seen, ptr %14, i32 0, i32 0
  %87 = load i64, ptr %86, align 8
  %88 = or i64 %85, %87
  store i64 %88, ptr %19, align 8
  %89 = load ptr, ptr %4, align 8
  %90 = load i64, ptr %18, align 8
  %91 = call ptr @record(ptr noundef %89, i64 noundef %90)
  %92 = load i64, ptr %18, align 8
  %93 = load i64, ptr %9, align 8
  %94 = icmp ult i64 %92, %93
  %95 = zext i1 %94 to i32
  %96 = sext i32 %95 to i64
  %97 = call i64 @found_at(ptr noundef %91, i64 noundef %96)
  store i64 %97, ptr %20, align 8
  %98 = load ptr, ptr %11, align 8
  %99 = ptrtoint ptr %98 to i64
  %100 = or i64 %99, 2
  store i64 %100, ptr %21, align 8
  %101 = load i64, ptr %19, align 8
  %102 = icmp ne i64 %101, 0
  br i1 %102, label %103, label %105

103:
  %104 = load i64, ptr %20, align 8
  br label %107

105:
  %106 = load i64, ptr %21, align 8
  br label %107

107:
  %108 = phi i64 [ %104, %103 ], [ %106, %105 ]
  store i64 %108, ptr %22, align 8
  %109 = load i64, ptr %22, align 8
  %110 = load ptr, ptr %11, align 8
  %111 = load i64, ptr @words, align 8
  %112 = add i64 %111, 2
  %113 = getelementptr i64, ptr %110, i64 %112
  store i64 %109, ptr %113, align 8
  %114 = load i64, ptr %19, align 8
  %115 = load i64, ptr %22, align 8
  %116 = load ptr, ptr %13, align 8
  call void @ask(i64 noundef %114, i64 noundef %115, ptr noundef %116)
  %117 = getelementptr %struct.seen, ptr %14, i32 0, i32 1
  %118 = load i64, ptr %117, align 8
  %119 = load i64, ptr %8, align 8
  %120 = add i64 %119, %118
  store i64 %120, ptr %8, align 8
  br label %121

121:
  %122 = load i64, ptr %10, align 8
  %123 = add i64 %122, 1
  store i64 %123, ptr %10, align 8
  br label %30, !llvm.loop !53

124:
  %125 = load i64, ptr %8, align 8
  %126 = load ptr, ptr %4, align 8
  %127 = getelementptr %struct.context, ptr %126, i32 0, i32 3
  store i64 %125, ptr %127, align 8
  ret void
}

define internal void @look_at(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3, i32 noundef %4) #1 {
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca %struct.visited, align 8
  %12 = alloca ptr, align 8
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  %15 = alloca ptr, align 8
  %16 = alloca ptr, align 8
  %17 = alloca %struct.seen, align 8
  %18 = alloca %struct.known, align 8
  %19 = alloca i64, align 8
  %20 = alloca i64, align 8
  %21 = alloca i64, align 8
  %22 = alloca i64, align 8
  %23 = alloca i64, align 8
  %24 = alloca i64, align 8
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store i64 %2, ptr %8, align 8
  store i32 %3, ptr %9, align 4
  store i32 %4, ptr %10, align 4
  %25 = load ptr, ptr %6, align 8
  %26 = load i32, ptr %9, align 4
  call void @visited_at_entry(ptr dead_on_unwind writable sret(%struct.visited) align 8 %11, ptr noundef %25, i32 noundef %26)
  %27 = load ptr, ptr %6, align 8
  %28 = call ptr @list(ptr noundef %27, i32 noundef 0)
  store ptr %28, ptr %12, align 8
  store i64 0, ptr %13, align 8
  store i64 0, ptr %14, align 8
  br label %29

29:
  %30 = load i64, ptr %14, align 8
  %31 = load i64, ptr %8, align 8
  %32 = icmp ult i64 %30, %31
  br i1 %32, label %33, label %116

33:
  %34 = load ptr, ptr %7, align 8
  %35 = load i64, ptr %14, align 8
  %36 = call ptr @entry(ptr noundef %34, i64 noundef %35)
  store ptr %36, ptr %15, align 8
  %37 = load ptr, ptr %15, align 8
  %38 = load i64, ptr @words, align 8
  %39 = add i64 %38, 2
  %40 = getelementptr i64, ptr %37, i64 %39
  %41 = load i64, ptr %40, align 8
  %42 = inttoptr i64 %41 to ptr
  store ptr %42, ptr %16, align 8
  %43 = load ptr, ptr %16, align 8
  %44 = load ptr, ptr %15, align 8
  %45 = load i64, ptr @words, align 8
  %46 = add i64 %45, 1
  %47 = getelementptr i64, ptr %44, i64 %46
  %48 = load i64, ptr %47, align 8
  %49 = load i32, ptr %9, align 4
  call void @see(ptr dead_on_unwind writable sret(%struct.seen) align 8 %17, ptr noundef %43, i64 noundef %48, i32 noundef %49)
  %50 = getelementptr %struct.seen, ptr %17, i32 0, i32 2
  %51 = load ptr, ptr %50, align 8
  %52 = call i64 @load_slot(ptr noundef %11, ptr noundef %51)
  %53 = call { ptr, i64 } @known_by(ptr noundef %11, i64 noundef %52)
  %54 = getelementptr inbounds nuw { ptr, i64 }, ptr %18, i32 0, i32 0
  %55 = extractvalue { ptr, i64 } %53, 0
  store ptr %55, ptr %54, align 8
  %56 = getelementptr inbounds nuw { ptr, i64 }, ptr %18, i32 0, i32 1
  %57 = extractvalue { ptr, i64 } %53, 1
  store i64 %57, ptr %56, align 8
  %58 = getelementptr %struct.known, ptr %18, i32 0, i32 0
  %59 = load ptr, ptr %58, align 8
  %60 = getelementptr %struct.known, ptr %18, i32 0, i32 1
  %61 = load i64, ptr %60, align 8
  %62 = call i64 @found_at(ptr noundef %59, i64 noundef %61)
  store i64 %62, ptr %19, align 8
  %63 = load ptr, ptr %15, align 8
  %64 = ptrtoint ptr %63 to i64
  %65 = or i64 %64, 2
  store i64 %65, ptr %20, align 8
  %66 = getelementptr %struct.seen, ptr %17, i32 0, i32 0
  %67 = load i64, ptr %66, align 8
  %68 = icmp ne i64 %67, 0
  br i1 %68, label %69, label %71

69:
  %70 = load i64, ptr %19, align 8
  br label %73

71:
  %72 = load i64, ptr %20, align 8
  br label %73

73:
  %74 = phi i64 [ %70, %69 ], [ %72, %71 ]
  store i64 %74, ptr %21, align 8
  %75 = getelementptr %struct.seen, ptr %17, i32 0, i32 2
  %76 = load ptr, ptr %75, align 8
  %77 = ptrtoint ptr %76 to i64
  store i64 %77, ptr %22, align 8
  %78 = load i32, ptr %10, align 4
  %79 = icmp ne i32 %78, 0
  br i1 %79, label %80, label %90

80:
  %81 = getelementptr %struct.seen, ptr %17, i32 0, i32 1
  %82 = load i64, ptr %81, align 8
  %83 = icmp ne i64 %82, 0
  br i1 %83, label %84, label %86

84:
  %85 = load i64, ptr %22, align 8
  br label %88

86:
  %87 = load i64, ptr %21, align 8
  br label %88

88:
  %89 = phi i64 [ %85, %84 ], [ %87, %86 ]
  br label %92

90:
  %91 = load i64, ptr %21, align 8
  br label %92

92:
  %93 = phi i64 [ %89, %88 ], [ %91, %90 ]
  %94 = load ptr, ptr %15, align 8
  %95 = load i64, ptr @words, align 8
  %96 = add i64 %95, 2
  %97 = getelementptr i64, ptr %94, i64 %96
  store i64 %93, ptr %97, align 8
  %98 = getelementptr %struct.seen, ptr %17, i32 0, i32 0
  %99 = load i64, ptr %98, align 8
  %100 = getelementptr %struct.seen, ptr %17, i32 0, i32 1
  %101 = load i64, ptr %100, align 8
  %102 = or i64 %99, %101
  %103 = load i64, ptr %21, align 8
  %104 = load ptr, ptr %16, align 8
  call void @ask(i64 noundef %102, i64 noundef %103, ptr noundef %104)
  %105 = load ptr, ptr %15, align 8
  %106 = load ptr, ptr %12, align 8
  %107 = load i64, ptr %13, align 8
  %108 = getelementptr ptr, ptr %106, i64 %107
  store ptr %105, ptr %108, align 8
  %109 = getelementptr %struct.seen, ptr %17, i32 0, i32 1
  %110 = load i64, ptr %109, align 8
  %111 = load i64, ptr %13, align 8
  %112 = add i64 %111, %110
  store i64 %112, ptr %13, align 8
  br label %113

113:
  %114 = load i64, ptr %14, align 8
  %115 = add i64 %114, 1
  store i64 %115, ptr %14, align 8
  br label %29, !llvm.loop !54

116:
  %117 = load i32, ptr %10, align 4
  %118 = icmp ne i32 %117, 0
  br i1 %118, label %120, label %119

119:
  br label %143

120:
  %121 = load ptr, ptr %6, align 8
  %122 = getelementptr %struct.context, ptr %121, i32 0, i32 3
  %123 = load i64, ptr %122, align 8
  store i64 %123, ptr %23, align 8
  store i64 0, ptr %24, align 8
  br label %124

124:
  %125 = load i64, ptr %24, align 8
  %126 = load i64, ptr %13, align 8
  %127 = icmp ult i64 %125, %126
  br i1 %127, label %128, label %139

128:
  %129 = load ptr, ptr %6, align 8
  %130 = load ptr, ptr %12, align 8
  %131 = load i64, ptr %24, align 8
  %132 = getelementptr ptr, ptr %130, i64 %131
  %133 = load ptr, ptr %132, align 8
  %134 = load i64, ptr %23, align 8
  %135 = call i64 @claim(ptr noundef %129, ptr noundef %11, ptr noundef %133, i64 noundef %134)
  store i64 %135, ptr %23, align 8
  br label %136

136:
  %137 = load i64, ptr %24, align 8
  %138 = add i64 %137, 1
  store i64 %138, ptr %24, align 8
  br label %124, !llvm.loop !55

139:
  %140 = load i64, ptr %23, align 8
  %141 = load ptr, ptr %6, align 8
  %142 = getelementptr %struct.context, ptr %141, i32 0, i32 3
  store i64 %140, ptr %142, align 8
  br label %143

143:
  ret void
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

define internal i64 @found_at(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = ptrtoint ptr %5 to i64
  %7 = load i64, ptr %4, align 8
  %8 = icmp ne i64 %7, 0
  %9 = xor i1 %8, true
  %10 = zext i1 %9 to i32
  %11 = sext i32 %10 to i64
  %12 = or i64 %6, %11
  ret i64 %12
}

define internal void @ask(i64 noundef %0, i64 noundef %1, ptr noundef %2) #1 {
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  store i64 %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  store ptr %2, ptr %6, align 8
  %8 = load ptr, ptr %6, align 8
  %9 = getelementptr i64, ptr %8, i64 8
  %10 = ptrtoint ptr %9 to i64
  store i64 %10, ptr %7, align 8
  %11 = load i64, ptr %4, align 8
  %12 = icmp ne i64 %11, 0
  br i1 %12, label %13, label %15

13:
  %14 = load i64, ptr %5, align 8
  br label %17

15:
  %16 = load i64, ptr %7, align 8
  br label %17

17:
  %18 = phi i64 [ %14, %13 ], [ %16, %15 ]
  %19 = inttoptr i64 %18 to ptr
  call void @prefetch(ptr noundef %19)
  ret void
}

define internal ptr @list(ptr noundef %0, i32 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr %struct.context, ptr %5, i32 0, i32 18
  %7 = load ptr, ptr %6, align 8
  %8 = load i32, ptr %4, align 4
  %9 = sext i32 %8 to i64
  %10 = load ptr, ptr %3, align 8
  %11 = getelementptr %struct.context, ptr %10, i32 0, i32 10
  %12 = load i64, ptr %11, align 8
  %13 = add i64 %12, 1
  %14 = mul i64 %9, %13
  %15 = getelementptr ptr, ptr %7, i64 %14
  ret ptr %15
}

define internal i64 @claim(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca %struct.known, align 8
  %15 = alloca i64, align 8
  %16 = alloca i64, align 8
  %17 = alloca i64, align 8
  %18 = alloca i64, align 8
  %19 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store ptr %2, ptr %7, align 8
  store i64 %3, ptr %8, align 8
  %20 = load ptr, ptr %7, align 8
  %21 = load i64, ptr @words, align 8
  %22 = add i64 %21, 1
  %23 = getelementptr i64, ptr %20, i64 %22
  %24 = load i64, ptr %23, align 8
  store i64 %24, ptr %9, align 8
  %25 = load ptr, ptr %7, align 8
  %26 = load i64, ptr @words, align 8
  %27 = add i64 %26, 2
  %28 = getelementptr i64, ptr %25, i64 %27
  %29 = load i64, ptr %28, align 8
  %30 = inttoptr i64 %29 to ptr
  store ptr %30, ptr %10, align 8
  %31 = load ptr, ptr %5, align 8
  %32 = load i64, ptr %8, align 8
  %33 = call ptr @record(ptr noundef %31, i64 noundef %32)
  store ptr %33, ptr %11, align 8
  store i64 0, ptr %12, align 8
  %34 = load ptr, ptr %11, align 8
  %35 = load ptr, ptr %7, align 8
  call void @copy(ptr noundef %34, ptr noundef %35, i64 noundef 1)
  %36 = load ptr, ptr %10, align 8
  %37 = load ptr, ptr %6, align 8
  %38 = load i64, ptr %9, align 8
  %39 = load i64, ptr %8, align 8
  %40 = call i64 @own_slot(ptr noundef %37, i64 noundef %38, i64 noundef %39)
  %41 = call i32 @exchange(ptr noundef %36, ptr noundef %12, i64 noundef %40)
  %42 = sext i32 %41 to i64
  store i64 %42, ptr %13, align 8
  %43 = load ptr, ptr %6, align 8
  %44 = load i64, ptr %12, align 8
  %45 = call { ptr, i64 } @known_by(ptr noundef %43, i64 noundef %44)
  %46 = getelementptr inbounds nuw { ptr, i64 }, ptr %14, i32 0, i32 0
  %47 = extractvalue { ptr, i64 } %45, 0
  store ptr %47, ptr %46, align 8
  %48 = getelementptr inbounds nuw { ptr, i64 }, ptr %14, i32 0, i32 1
  %49 = extractvalue { ptr, i64 } %45, 1
  store i64 %49, ptr %48, align 8
  %50 = load i64, ptr %12, align 8
  %51 = load i64, ptr %9, align 8
  %52 = xor i64 %50, %51
  %53 = icmp ule i64 %52, 4294967295
  %54 = zext i1 %53 to i32
  %55 = sext i32 %54 to i64
  store i64 %55, ptr %15, align 8
  %56 = getelementptr %struct.known, ptr %14, i32 0, i32 0
  %57 = load ptr, ptr %56, align 8
  %58 = getelementptr %struct.known, ptr %14, i32 0, i32 1
  %59 = load i64, ptr %58, align 8
  %60 = call i64 @found_at(ptr noundef %57, i64 noundef %59)
  store i64 %60, ptr %16, align 8
  %61 = load ptr, ptr %7, align 8
  %62 = ptrtoint ptr %61 to i64
  %63 = or i64 %62, 2
  store i64 %63, ptr %17, align 8
  %64 = load i64, ptr %15, align 8
  %65 = icmp ne i64 %64, 0
  br i1 %65, label %66, label %68

66:
  %67 = load i64, ptr %16, align 8
  br label %70

68:
  %69 = load i64, ptr %17, align 8
  br label %70

70:
  %71 = phi i64 [ %67, %66 ], [ %69, %68 ]
  store i64 %71, ptr %18, align 8
  %72 = load ptr, ptr %11, align 8
  %73 = ptrtoint ptr %72 to i64
  %74 = or i64 %73, 1
  store i64 %74, ptr %19, align 8
  %75 = load i64, ptr %13, align 8
  %76 = icmp ne i64 %75, 0
  br i1 %76, label %77, label %79

77:
  %78 = load i64, ptr %19, align 8
  br label %81

79:
  %80 = load i64, ptr %18, align 8
  br label %81

81:
  %82 = phi i64 [ %78, %77 ], [ %80, %79 ]
  %83 = load ptr, ptr %7, align 8
  %84 = load i64, ptr @words, align 8
  %85 = add i64 %84, 2
  %86 = getelementptr i64, ptr %83, i64 %85
  store i64 %82, ptr %86, align 8
  %87 = load i64, ptr %13, align 8
  %88 = load ptr, ptr %5, align 8
  %89 = getelementptr %struct.context, ptr %88, i32 0, i32 40
  %90 = load ptr, ptr %89, align 8
  %91 = load ptr, ptr %6, align 8
  %92 = load i64, ptr %9, align 8
  %93 = call i64 @part_of(ptr noundef %91, i64 noundef %92)
  %94 = getelementptr i64, ptr %90, i64 %93
  %95 = load i64, ptr %94, align 8
  %96 = add i64 %95, %87
  store i64 %96, ptr %94, align 8
  %97 = load i64, ptr %8, align 8
  %98 = load i64, ptr %13, align 8
  %99 = add i64 %97, %98
  ret i64 %99
}

define internal void @ask_beyond(ptr noundef %0, ptr noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca %struct.table, align 8
  %7 = alloca %struct.seen, align 8
  %8 = alloca ptr, align 8
  %9 = alloca %struct.known, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %10 = load ptr, ptr %4, align 8
  %11 = load i64, ptr @words, align 8
  %12 = add i64 %11, 1
  %13 = getelementptr i64, ptr %10, i64 %12
  %14 = load i64, ptr %13, align 8
  store i64 %14, ptr %5, align 8
  %15 = load ptr, ptr %3, align 8
  %16 = load i64, ptr %5, align 8
  %17 = call { ptr, i64 } @table_of(ptr noundef %15, i64 noundef %16)
  %18 = getelementptr inbounds nuw { ptr, i64 }, ptr %6, i32 0, i32 0
  %19 = extractvalue { ptr, i64 } %17, 0
  store ptr %19, ptr %18, align 8
  %20 = getelementptr inbounds nuw { ptr, i64 }, ptr %6, i32 0, i32 1
  %21 = extractvalue { ptr, i64 } %17, 1
  store i64 %21, ptr %20, align 8
  %22 = getelementptr %struct.table, ptr %6, i32 0, i32 0
  %23 = load ptr, ptr %22, align 8
  %24 = load i64, ptr %5, align 8
  %25 = getelementptr inbounds nuw { ptr, i64 }, ptr %6, i32 0, i32 0
  %26 = load ptr, ptr %25, align 8
  %27 = getelementptr inbounds nuw { ptr, i64 }, ptr %6, i32 0, i32 1
  %28 = load i64, ptr %27, align 8
  %29 = call i64 @bucket_home(ptr %26, i64 %28, i64 noundef %24)
  %30 = getelementptr inbounds nuw { ptr, i64 }, ptr %6, i32 0, i32 0
  %31 = load ptr, ptr %30, align 8
  %32 = getelementptr inbounds nuw { ptr, i64 }, ptr %6, i32 0, i32 1
  %33 = load i64, ptr %32, align 8
  %34 = call i64 @after(ptr %31, i64 %33, i64 noundef %29, i64 noundef 8)
  %35 = getelementptr i64, ptr %23, i64 %34
  %36 = load i64, ptr %5, align 8
  %37 = load ptr, ptr %3, align 8
  %38 = getelementptr %struct.visited, ptr %37, i32 0, i32 1
  %39 = load i32, ptr %38, align 8
  call void @see(ptr dead_on_unwind writable sret(%struct.seen) align 8 %7, ptr noundef %35, i64 noundef %36, i32 noundef %39)
  %40 = load ptr, ptr %3, align 8
  %41 = load ptr, ptr %3, align 8
  %42 = getelementptr %struct.seen, ptr %7, i32 0, i32 2
  %43 = load ptr, ptr %42, align 8
  %44 = call i64 @load_slot(ptr noundef %41, ptr noundef %43)
  %45 = call { ptr, i64 } @known_by(ptr noundef %40, i64 noundef %44)
  %46 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 0
  %47 = extractvalue { ptr, i64 } %45, 0
  store ptr %47, ptr %46, align 8
  %48 = getelementptr inbounds nuw { ptr, i64 }, ptr %9, i32 0, i32 1
  %49 = extractvalue { ptr, i64 } %45, 1
  store i64 %49, ptr %48, align 8
  %50 = getelementptr %struct.known, ptr %9, i32 0, i32 0
  %51 = load ptr, ptr %50, align 8
  store ptr %51, ptr %8, align 8
  %52 = getelementptr %struct.seen, ptr %7, i32 0, i32 0
  %53 = load i64, ptr %52, align 8
  %54 = icmp ne i64 %53, 0
  br i1 %54, label %55, label %57

55:
  %56 = load ptr, ptr %8, align 8
  br label %59

57:
  %58 = load ptr, ptr %4, align 8
  br label %59

59:
  %60 = phi ptr [ %56, %55 ], [ %58, %57 ]
  call void @prefetch(ptr noundef %60)
  ret void
}

define internal i32 @is_full(ptr noundef %0) #1 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %9 = load ptr, ptr %2, align 8
  %10 = getelementptr %struct.context, ptr %9, i32 0, i32 10
  %11 = load i64, ptr %10, align 8
  %12 = mul i64 %11, 3
  store i64 %12, ptr %3, align 8
  %13 = load ptr, ptr %2, align 8
  %14 = getelementptr %struct.context, ptr %13, i32 0, i32 40
  %15 = load ptr, ptr %14, align 8
  store ptr %15, ptr %4, align 8
  %16 = load ptr, ptr %2, align 8
  %17 = getelementptr %struct.context, ptr %16, i32 0, i32 47
  %18 = load ptr, ptr %17, align 8
  store ptr %18, ptr %5, align 8
  %19 = load ptr, ptr %2, align 8
  %20 = getelementptr %struct.context, ptr %19, i32 0, i32 3
  %21 = load i64, ptr %20, align 8
  %22 = load i64, ptr %3, align 8
  %23 = add i64 %21, %22
  %24 = load ptr, ptr %2, align 8
  %25 = getelementptr %struct.context, ptr %24, i32 0, i32 4
  %26 = load i64, ptr %25, align 8
  %27 = icmp ugt i64 %23, %26
  %28 = zext i1 %27 to i32
  store i32 %28, ptr %6, align 4
  store i64 0, ptr %7, align 8
  br label %29

29:
  %30 = load i64, ptr %7, align 8
  %31 = load ptr, ptr %2, align 8
  %32 = getelementptr %struct.context, ptr %31, i32 0, i32 35
  %33 = load i64, ptr %32, align 8
  %34 = icmp ult i64 %30, %33
  br i1 %34, label %35, label %53

35:
  %36 = load ptr, ptr %4, align 8
  %37 = load i64, ptr %7, align 8
  %38 = getelementptr i64, ptr %36, i64 %37
  %39 = load i64, ptr %38, align 8
  %40 = load i64, ptr %3, align 8
  %41 = add i64 %39, %40
  %42 = load ptr, ptr %5, align 8
  %43 = load i64, ptr %7, align 8
  %44 = getelementptr i64, ptr %42, i64 %43
  %45 = load i64, ptr %44, align 8
  %46 = icmp ugt i64 %41, %45
  %47 = zext i1 %46 to i32
  %48 = load i32, ptr %6, align 4
  %49 = or i32 %48, %47
  store i32 %49, ptr %6, align 4
  br label %50

50:
  %51 = load i64, ptr %7, align 8
  %52 = add i64 %51, 1
  store i64 %52, ptr %7, align 8
  br label %29, !llvm.loop !56

53:
  %54 = load i32, ptr %6, align 4
  %55 = icmp ne i32 %54, 0
  br i1 %55, label %56, label %62

56:
  %57 = load ptr, ptr %2, align 8
  %58 = getelementptr %struct.context, ptr %57, i32 0, i32 45
  %59 = load ptr, ptr %58, align 8
  %60 = getelementptr i64, ptr %59, i64 16
  store i64 1, ptr %8, align 8
  %61 = load i64, ptr %8, align 8
  store atomic i64 %61, ptr %60 monotonic, align 8
  br label %62

62:
  %63 = load i32, ptr %6, align 4
  ret i32 %63
}

define internal i32 @batch_is_full(ptr noundef %0, i64 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load i64, ptr @symmetric, align 8
  %6 = icmp ne i64 %5, 0
  br i1 %6, label %7, label %11

7:
  %8 = load ptr, ptr %3, align 8
  %9 = getelementptr %struct.context, ptr %8, i32 0, i32 13
  %10 = load i64, ptr %9, align 8
  br label %13

11:
  %12 = load i64, ptr %4, align 8
  br label %13

13:
  %14 = phi i64 [ %10, %7 ], [ %12, %11 ]
  %15 = load ptr, ptr %3, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 10
  %17 = load i64, ptr %16, align 8
  %18 = load ptr, ptr %3, align 8
  %19 = getelementptr %struct.context, ptr %18, i32 0, i32 11
  %20 = load i64, ptr %19, align 8
  %21 = load ptr, ptr %3, align 8
  %22 = getelementptr %struct.context, ptr %21, i32 0, i32 12
  %23 = load i64, ptr %22, align 8
  %24 = mul i64 %20, %23
  %25 = sub i64 %17, %24
  %26 = icmp ugt i64 %14, %25
  %27 = zext i1 %26 to i32
  ret i32 %27
}

define internal i32 @take_batch(ptr noundef %0, ptr noundef %1) #1 {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  %15 = load ptr, ptr %4, align 8
  %16 = getelementptr %struct.context, ptr %15, i32 0, i32 45
  %17 = load ptr, ptr %16, align 8
  %18 = getelementptr i64, ptr %17, i64 16
  %19 = load atomic i64, ptr %18 monotonic, align 8
  store i64 %19, ptr %6, align 8
  %20 = load i64, ptr %6, align 8
  %21 = icmp ne i64 %20, 0
  br i1 %21, label %22, label %23

22:
  store i32 0, ptr %3, align 4
  br label %103

23:
  %24 = load ptr, ptr %4, align 8
  %25 = getelementptr %struct.context, ptr %24, i32 0, i32 45
  %26 = load ptr, ptr %25, align 8
  %27 = getelementptr i64, ptr %26, i64 0
  store i64 64, ptr %7, align 8
  %28 = load i64, ptr %7, align 8
  %29 = atomicrmw add ptr %27, i64 %28 monotonic, align 8
  store i64 %29, ptr %8, align 8
  %30 = load i64, ptr %8, align 8
  %31 = load ptr, ptr %4, align 8
  %32 = getelementptr %struct.context, ptr %31, i32 0, i32 46
  %33 = load i64, ptr %32, align 8
  %34 = icmp uge i64 %30, %33
  br i1 %34, label %35, label %36

35:
  store i32 0, ptr %3, align 4
  br label %103

36:
  br label %37

37:
  %38 = load ptr, ptr %5, align 8
  %39 = load i64, ptr %38, align 8
  %40 = load ptr, ptr %4, align 8
  %41 = getelementptr %struct.context, ptr %40, i32 0, i32 35
  %42 = load i64, ptr %41, align 8
  %43 = icmp ult i64 %39, %42
  br i1 %43, label %44, label %102

44:
  %45 = load ptr, ptr %4, align 8
  %46 = getelementptr %struct.context, ptr %45, i32 0, i32 34
  %47 = load i64, ptr %46, align 8
  %48 = load ptr, ptr %5, align 8
  %49 = load i64, ptr %48, align 8
  %50 = add i64 %47, %49
  store i64 %50, ptr %9, align 8
  %51 = load i64, ptr %9, align 8
  %52 = load ptr, ptr %4, align 8
  %53 = getelementptr %struct.context, ptr %52, i32 0, i32 35
  %54 = load i64, ptr %53, align 8
  %55 = icmp uge i64 %51, %54
  br i1 %55, label %56, label %62

56:
  %57 = load i64, ptr %9, align 8
  %58 = load ptr, ptr %4, align 8
  %59 = getelementptr %struct.context, ptr %58, i32 0, i32 35
  %60 = load i64, ptr %59, align 8
  %61 = sub i64 %57, %60
  br label %64

62:
  %63 = load i64, ptr %9, align 8
  br label %64

64:
  %65 = phi i64 [ %61, %56 ], [ %63, %62 ]
  store i64 %65, ptr %10, align 8
  %66 = load ptr, ptr %4, align 8
  %67 = getelementptr %struct.context, ptr %66, i32 0, i32 44
  %68 = load ptr, ptr %67, align 8
  %69 = load i64, ptr %10, align 8
  %70 = mul i64 %69, 16
  %71 = getelementptr i64, ptr %68, i64 %70
  store i64 64, ptr %12, align 8
  %72 = load i64, ptr %12, align 8
  %73 = atomicrmw add ptr %71, i64 %72 monotonic, align 8
  store i64 %73, ptr %13, align 8
  %74 = load i64, ptr %13, align 8
  store i64 %74, ptr %11, align 8
  %75 = load ptr, ptr %4, align 8
  %76 = getelementptr %struct.context, ptr %75, i32 0, i32 43
  %77 = load ptr, ptr %76, align 8
  %78 = load i64, ptr %10, align 8
  %79 = getelementptr i64, ptr %77, i64 %78
  %80 = load i64, ptr %79, align 8
  store i64 %80, ptr %14, align 8
  %81 = load i64, ptr %11, align 8
  %82 = load i64, ptr %14, align 8
  %83 = icmp ult i64 %81, %82
  br i1 %83, label %84, label %97

84:
  %85 = load i64, ptr %11, align 8
  %86 = load ptr, ptr %4, align 8
  %87 = getelementptr %struct.context, ptr %86, i32 0, i32 48
  store i64 %85, ptr %87, align 8
  %88 = load i64, ptr %11, align 8
  %89 = add i64 %88, 64
  %90 = load i64, ptr %14, align 8
  %91 = call i64 @least(i64 noundef %89, i64 noundef %90)
  %92 = load ptr, ptr %4, align 8
  %93 = getelementptr %struct.context, ptr %92, i32 0, i32 49
  store i64 %91, ptr %93, align 8
  %94 = load i64, ptr %10, align 8
  %95 = load ptr, ptr %4, align 8
  %96 = getelementptr %struct.context, ptr %95, i32 0, i32 50
  store i64 %94, ptr %96, align 8
  store i32 1, ptr %3, align 4
  br label %103

97:
  br label %98

98:
  %99 = load ptr, ptr %5, align 8
  %100 = load i64, ptr %99, align 8
  %101 = add i64 %100, 1
  store i64 %101, ptr %99, align 8
  br label %37, !llvm.loop !57

102:
  store i32 0, ptr %3, align 4
  br label %103

103:
  %104 = load i32, ptr %3, align 4
  ret i32 %104
}

define internal i64 @add_group(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, i64 noundef %4, i64 noundef %5, i32 noundef %6) #1 {
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca i32, align 4
  %15 = alloca i64, align 8
  %16 = alloca i64, align 8
  %17 = alloca ptr, align 8
  store ptr %0, ptr %8, align 8
  store ptr %1, ptr %9, align 8
  store ptr %2, ptr %10, align 8
  store ptr %3, ptr %11, align 8
  store i64 %4, ptr %12, align 8
  store i64 %5, ptr %13, align 8
  store i32 %6, ptr %14, align 4
  %18 = load ptr, ptr %8, align 8
  %19 = getelementptr %struct.context, ptr %18, i32 0, i32 12
  %20 = load i64, ptr %19, align 8
  %21 = load i64, ptr %13, align 8
  %22 = call i64 @least(i64 noundef %20, i64 noundef %21)
  store i64 %22, ptr %15, align 8
  %23 = load i64, ptr %15, align 8
  store i64 %23, ptr %16, align 8
  %24 = load i64, ptr @dominating, align 8
  %25 = icmp ne i64 %24, 0
  br i1 %25, label %26, label %46

26:
  %27 = load i32, ptr %14, align 4
  %28 = icmp ne i32 %27, 0
  br i1 %28, label %29, label %35

29:
  %30 = load ptr, ptr %8, align 8
  %31 = load ptr, ptr %11, align 8
  %32 = load i64, ptr %12, align 8
  %33 = load i64, ptr %13, align 8
  %34 = call i64 @stage_shared(ptr noundef %30, ptr noundef %31, i64 noundef %32, i64 noundef %33, ptr noundef %15)
  br label %41

35:
  %36 = load ptr, ptr %8, align 8
  %37 = load ptr, ptr %11, align 8
  %38 = load i64, ptr %12, align 8
  %39 = load i64, ptr %13, align 8
  %40 = call i64 @stage(ptr noundef %36, ptr noundef %37, i64 noundef %38, i64 noundef %39, ptr noundef %15)
  br label %41

41:
  %42 = phi i64 [ %34, %29 ], [ %40, %35 ]
  store i64 %42, ptr %16, align 8
  %43 = load ptr, ptr %8, align 8
  %44 = getelementptr %struct.context, ptr %43, i32 0, i32 55
  %45 = load ptr, ptr %44, align 8
  store ptr %45, ptr %11, align 8
  br label %46

46:
  %47 = load i64, ptr @symmetric, align 8
  %48 = icmp ne i64 %47, 0
  br i1 %48, label %49, label %54

49:
  %50 = load ptr, ptr %8, align 8
  %51 = load ptr, ptr %11, align 8
  %52 = load i64, ptr %12, align 8
  %53 = load i64, ptr %15, align 8
  call void @take(ptr noundef %50, ptr noundef %51, i64 noundef %52, i64 noundef %53)
  br label %82

54:
  %55 = load ptr, ptr %9, align 8
  %56 = getelementptr %struct.flight, ptr %55, i32 0, i32 0
  %57 = load ptr, ptr %56, align 8
  %58 = load ptr, ptr %10, align 8
  %59 = load i64, ptr %58, align 8
  %60 = call ptr @entry(ptr noundef %57, i64 noundef %59)
  store ptr %60, ptr %17, align 8
  %61 = load i32, ptr %14, align 4
  %62 = icmp ne i32 %61, 0
  br i1 %62, label %63, label %70

63:
  %64 = load ptr, ptr %8, align 8
  %65 = load ptr, ptr %11, align 8
  %66 = load i64, ptr %12, align 8
  %67 = load i64, ptr %15, align 8
  %68 = load ptr, ptr %17, align 8
  %69 = call i64 @gather_group_shared(ptr noundef %64, ptr noundef %65, i64 noundef %66, i64 noundef %67, ptr noundef %68)
  br label %77

70:
  %71 = load ptr, ptr %8, align 8
  %72 = load ptr, ptr %11, align 8
  %73 = load i64, ptr %12, align 8
  %74 = load i64, ptr %15, align 8
  %75 = load ptr, ptr %17, align 8
  %76 = call i64 @gather_group(ptr noundef %71, ptr noundef %72, i64 noundef %73, i64 noundef %74, ptr noundef %75)
  br label %77

77:
  %78 = phi i64 [ %69, %63 ], [ %76, %70 ]
  %79 = load ptr, ptr %10, align 8
  %80 = load i64, ptr %79, align 8
  %81 = add i64 %80, %78
  store i64 %81, ptr %79, align 8
  br label %82

82:
  %83 = load i64, ptr %16, align 8
  ret i64 %83
}

define internal void @send(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3) #1 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i32, align 4
  %9 = alloca ptr, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i32 %3, ptr %8, align 4
  %10 = load ptr, ptr %5, align 8
  %11 = load ptr, ptr %6, align 8
  %12 = load i32, ptr %8, align 4
  call void @move_on(ptr noundef %10, ptr noundef %11, i32 noundef %12)
  %13 = load ptr, ptr %6, align 8
  %14 = getelementptr %struct.flight, ptr %13, i32 0, i32 2
  %15 = load ptr, ptr %14, align 8
  store ptr %15, ptr %9, align 8
  %16 = load ptr, ptr %6, align 8
  %17 = getelementptr %struct.flight, ptr %16, i32 0, i32 1
  %18 = load ptr, ptr %17, align 8
  %19 = load ptr, ptr %6, align 8
  %20 = getelementptr %struct.flight, ptr %19, i32 0, i32 2
  store ptr %18, ptr %20, align 8
  %21 = load ptr, ptr %6, align 8
  %22 = getelementptr %struct.flight, ptr %21, i32 0, i32 0
  %23 = load ptr, ptr %22, align 8
  %24 = load ptr, ptr %6, align 8
  %25 = getelementptr %struct.flight, ptr %24, i32 0, i32 1
  store ptr %23, ptr %25, align 8
  %26 = load ptr, ptr %9, align 8
  %27 = load ptr, ptr %6, align 8
  %28 = getelementptr %struct.flight, ptr %27, i32 0, i32 0
  store ptr %26, ptr %28, align 8
  %29 = load ptr, ptr %6, align 8
  %30 = getelementptr %struct.flight, ptr %29, i32 0, i32 3
  %31 = getelementptr [2 x i64], ptr %30, i64 0, i64 0
  %32 = load i64, ptr %31, align 8
  %33 = load ptr, ptr %6, align 8
  %34 = getelementptr %struct.flight, ptr %33, i32 0, i32 3
  %35 = getelementptr [2 x i64], ptr %34, i64 0, i64 1
  store i64 %32, ptr %35, align 8
  %36 = load i64, ptr %7, align 8
  %37 = load ptr, ptr %6, align 8
  %38 = getelementptr %struct.flight, ptr %37, i32 0, i32 3
  %39 = getelementptr [2 x i64], ptr %38, i64 0, i64 0
  store i64 %36, ptr %39, align 8
  ret void
}

define internal void @land(ptr noundef %0, ptr noundef %1, i32 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i32 %2, ptr %6, align 4
  %7 = load ptr, ptr %4, align 8
  %8 = load ptr, ptr %5, align 8
  %9 = load i32, ptr %6, align 4
  call void @send(ptr noundef %7, ptr noundef %8, i64 noundef 0, i32 noundef %9)
  %10 = load ptr, ptr %4, align 8
  %11 = load ptr, ptr %5, align 8
  %12 = load i32, ptr %6, align 4
  call void @send(ptr noundef %10, ptr noundef %11, i64 noundef 0, i32 noundef %12)
  ret void
}

define internal i64 @stage_shared(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef %4) #0 {
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca ptr, align 8
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store i64 %2, ptr %8, align 8
  store i64 %3, ptr %9, align 8
  store ptr %4, ptr %10, align 8
  %11 = load ptr, ptr %6, align 8
  %12 = load ptr, ptr %7, align 8
  %13 = load i64, ptr %8, align 8
  %14 = load i64, ptr %9, align 8
  %15 = load ptr, ptr %10, align 8
  %16 = call i64 @stage_in(ptr noundef %11, ptr noundef %12, i64 noundef %13, i64 noundef %14, ptr noundef %15, i32 noundef 1)
  ret i64 %16
}

define internal i64 @stage(ptr noalias noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef %4) #0 {
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca ptr, align 8
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store i64 %2, ptr %8, align 8
  store i64 %3, ptr %9, align 8
  store ptr %4, ptr %10, align 8
  %11 = load ptr, ptr %6, align 8
  %12 = load ptr, ptr %7, align 8
  %13 = load i64, ptr %8, align 8
  %14 = load i64, ptr %9, align 8
  %15 = load ptr, ptr %10, align 8
  %16 = call i64 @stage_in(ptr noundef %11, ptr noundef %12, i64 noundef %13, i64 noundef %14, ptr noundef %15, i32 noundef 0)
  ret i64 %16
}

define internal i64 @stage_in(ptr noundef %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef %4, i32 noundef %5) #1 {
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca ptr, align 8
  %12 = alloca i32, align 4
  %13 = alloca %struct.visited, align 8
  %14 = alloca i64, align 8
  %15 = alloca i64, align 8
  %16 = alloca ptr, align 8
  store ptr %0, ptr %7, align 8
  store ptr %1, ptr %8, align 8
  store i64 %2, ptr %9, align 8
  store i64 %3, ptr %10, align 8
  store ptr %4, ptr %11, align 8
  store i32 %5, ptr %12, align 4
  %17 = load ptr, ptr %7, align 8
  %18 = load i32, ptr %12, align 4
  call void @visited_at_entry(ptr dead_on_unwind writable sret(%struct.visited) align 8 %13, ptr noundef %17, i32 noundef %18)
  store i64 0, ptr %14, align 8
  store i64 0, ptr %15, align 8
  br label %19

19:
  %20 = load i64, ptr %15, align 8
  %21 = load ptr, ptr %7, align 8
  %22 = getelementptr %struct.context, ptr %21, i32 0, i32 12
  %23 = load i64, ptr %22, align 8
  %24 = icmp ult i64 %20, %23
  br i1 %24, label %25, label %29

25:
  %26 = load i64, ptr %14, align 8
  %27 = load i64, ptr %10, align 8
  %28 = icmp ult i64 %26, %27
  br label %29

29:
  %30 = phi i1 [ false, %19 ], [ %28, %25 ]
  br i1 %30, label %31, label %82

31:
  %32 = load ptr, ptr %8, align 8
  %33 = load i64, ptr %14, align 8
  %34 = load i64, ptr @words, align 8
  %35 = add i64 %34, 1
  %36 = mul i64 %33, %35
  %37 = getelementptr i64, ptr %32, i64 %36
  store ptr %37, ptr %16, align 8
  %38 = load i64, ptr %14, align 8
  %39 = add i64 %38, 16
  %40 = load i64, ptr %10, align 8
  %41 = icmp ult i64 %39, %40
  br i1 %41, label %42, label %49

42:
  %43 = load ptr, ptr %7, align 8
  %44 = load ptr, ptr %16, align 8
  %45 = load i64, ptr @words, align 8
  %46 = add i64 %45, 1
  %47 = mul i64 16, %46
  %48 = getelementptr i64, ptr %44, i64 %47
  call void @ask_core(ptr noundef %43, ptr noundef %13, ptr noundef %48)
  br label %49

49:
  %50 = load ptr, ptr %7, align 8
  %51 = load ptr, ptr %16, align 8
  %52 = call i32 @is_dominated(ptr noundef %50, ptr noundef %13, ptr noundef %51)
  %53 = icmp ne i32 %52, 0
  br i1 %53, label %54, label %59

54:
  %55 = load ptr, ptr %7, align 8
  %56 = getelementptr %struct.context, ptr %55, i32 0, i32 54
  %57 = load i64, ptr %56, align 8
  %58 = add i64 %57, 1
  store i64 %58, ptr %56, align 8
  br label %78

59:
  %60 = load ptr, ptr %7, align 8
  %61 = getelementptr %struct.context, ptr %60, i32 0, i32 55
  %62 = load ptr, ptr %61, align 8
  %63 = load i64, ptr %15, align 8
  %64 = load i64, ptr @words, align 8
  %65 = add i64 %64, 1
  %66 = mul i64 %63, %65
  %67 = getelementptr i64, ptr %62, i64 %66
  %68 = load ptr, ptr %16, align 8
  call void @copy(ptr noundef %67, ptr noundef %68, i64 noundef 1)
  %69 = load i64, ptr %9, align 8
  %70 = load i64, ptr %14, align 8
  %71 = add i64 %69, %70
  %72 = load ptr, ptr %7, align 8
  %73 = getelementptr %struct.context, ptr %72, i32 0, i32 56
  %74 = load ptr, ptr %73, align 8
  %75 = load i64, ptr %15, align 8
  %76 = add i64 %75, 1
  store i64 %76, ptr %15, align 8
  %77 = getelementptr i64, ptr %74, i64 %75
  store i64 %71, ptr %77, align 8
  br label %78

78:
  br label %79

79:
  %80 = load i64, ptr %14, align 8
  %81 = add i64 %80, 1
  store i64 %81, ptr %14, align 8
  br label %19, !llvm.loop !58

82:
  %83 = load i64, ptr %15, align 8
  %84 = load ptr, ptr %11, align 8
  store i64 %83, ptr %84, align 8
  %85 = load i64, ptr %14, align 8
  ret i64 %85
}

define internal void @ask_core(ptr noundef %0, ptr noundef %1, ptr noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca %struct.table, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store ptr %2, ptr %6, align 8
  %9 = load ptr, ptr %4, align 8
  %10 = load ptr, ptr %6, align 8
  %11 = call i64 @place_hash(ptr noundef %9, ptr noundef %10)
  store i64 %11, ptr %7, align 8
  %12 = load i64, ptr @compacted, align 8
  %13 = icmp ne i64 %12, 0
  br i1 %13, label %14, label %22

14:
  %15 = load ptr, ptr %5, align 8
  %16 = load i64, ptr %7, align 8
  %17 = call { ptr, i64 } @filter_of(ptr noundef %15, i64 noundef %16)
  %18 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 0
  %19 = extractvalue { ptr, i64 } %17, 0
  store ptr %19, ptr %18, align 8
  %20 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 1
  %21 = extractvalue { ptr, i64 } %17, 1
  store i64 %21, ptr %20, align 8
  br label %30

22:
  %23 = load ptr, ptr %5, align 8
  %24 = load i64, ptr %7, align 8
  %25 = call { ptr, i64 } @table_of(ptr noundef %23, i64 noundef %24)
  %26 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 0
  %27 = extractvalue { ptr, i64 } %25, 0
  store ptr %27, ptr %26, align 8
  %28 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 1
  %29 = extractvalue { ptr, i64 } %25, 1
  store i64 %29, ptr %28, align 8
  br label %30

30:
  %31 = getelementptr %struct.table, ptr %8, i32 0, i32 0
  %32 = load ptr, ptr %31, align 8
  %33 = load i64, ptr @compacted, align 8
  %34 = icmp ne i64 %33, 0
  br i1 %34, label %35, label %42

35:
  %36 = load i64, ptr %7, align 8
  %37 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 0
  %38 = load ptr, ptr %37, align 8
  %39 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 1
  %40 = load i64, ptr %39, align 8
  %41 = call i64 @home(ptr %38, i64 %40, i64 noundef %36)
  br label %49

42:
  %43 = load i64, ptr %7, align 8
  %44 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 0
  %45 = load ptr, ptr %44, align 8
  %46 = getelementptr inbounds nuw { ptr, i64 }, ptr %8, i32 0, i32 1
  %47 = load i64, ptr %46, align 8
  %48 = call i64 @bucket_home(ptr %45, i64 %47, i64 noundef %43)
  br label %49

49:
  %50 = phi i64 [ %41, %35 ], [ %48, %42 ]
  %51 = getelementptr i64, ptr %32, i64 %50
  call void @prefetch(ptr noundef %51)
  ret void
}

define internal i32 @is_dominated(ptr noundef %0, ptr noundef %1, ptr noundef %2) #1 {
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store ptr %2, ptr %7, align 8
  %11 = load ptr, ptr %5, align 8
  %12 = load ptr, ptr %7, align 8
  %13 = call i64 @rank_of(ptr noundef %11, ptr noundef %12)
  store i64 %13, ptr %8, align 8
  %14 = load ptr, ptr %5, align 8
  %15 = load ptr, ptr %7, align 8
  %16 = call i64 @core_hash(ptr noundef %14, ptr noundef %15)
  store i64 %16, ptr %9, align 8
  store i64 0, ptr %10, align 8
  br label %17

17:
  %18 = load i64, ptr %10, align 8
  %19 = load i64, ptr %8, align 8
  %20 = icmp ne i64 %18, %19
  br i1 %20, label %21, label %38

21:
  %22 = load ptr, ptr %5, align 8
  %23 = load ptr, ptr %6, align 8
  %24 = load ptr, ptr %7, align 8
  %25 = load i64, ptr %9, align 8
  %26 = load i64, ptr %10, align 8
  %27 = call i64 @ranked(i64 noundef %25, i64 noundef %26)
  %28 = load i64, ptr %10, align 8
  %29 = call i32 @is_earlier(ptr noundef %22, ptr noundef %23, ptr noundef %24, i64 noundef %27, i64 noundef %28)
  %30 = icmp ne i32 %29, 0
  br i1 %30, label %31, label %32

31:
  store i32 1, ptr %4, align 4
  br label %39

32:
  br label %33

33:
  %34 = load ptr, ptr %5, align 8
  %35 = load i64, ptr %10, align 8
  %36 = load i64, ptr %8, align 8
  %37 = call i64 @next_rank(ptr noundef %34, i64 noundef %35, i64 noundef %36)
  store i64 %37, ptr %10, align 8
  br label %17, !llvm.loop !59

38:
  store i32 0, ptr %4, align 4
  br label %39

39:
  %40 = load i32, ptr %4, align 4
  ret i32 %40
}

define internal i32 @is_earlier(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i64 noundef %4) #1 {
  %6 = alloca i32, align 4
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca %struct.table, align 8
  %13 = alloca %struct.table, align 8
  %14 = alloca i64, align 8
  %15 = alloca ptr, align 8
  %16 = alloca %struct.shown, align 8
  %17 = alloca i64, align 8
  %18 = alloca %struct.known, align 8
  store ptr %0, ptr %7, align 8
  store ptr %1, ptr %8, align 8
  store ptr %2, ptr %9, align 8
  store i64 %3, ptr %10, align 8
  store i64 %4, ptr %11, align 8
  %19 = load i64, ptr @compacted, align 8
  %20 = icmp ne i64 %19, 0
  br i1 %20, label %21, label %35

21:
  %22 = load ptr, ptr %8, align 8
  %23 = load i64, ptr %10, align 8
  %24 = call { ptr, i64 } @filter_of(ptr noundef %22, i64 noundef %23)
  %25 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 0
  %26 = extractvalue { ptr, i64 } %24, 0
  store ptr %26, ptr %25, align 8
  %27 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 1
  %28 = extractvalue { ptr, i64 } %24, 1
  store i64 %28, ptr %27, align 8
  %29 = load i64, ptr %10, align 8
  %30 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 0
  %31 = load ptr, ptr %30, align 8
  %32 = getelementptr inbounds nuw { ptr, i64 }, ptr %12, i32 0, i32 1
  %33 = load i64, ptr %32, align 8
  %34 = call i32 @in_filter(ptr %31, i64 %33, i64 noundef %29)
  store i32 %34, ptr %6, align 4
  br label %126

35:
  %36 = load ptr, ptr %8, align 8
  %37 = load i64, ptr %10, align 8
  %38 = call { ptr, i64 } @table_of(ptr noundef %36, i64 noundef %37)
  %39 = getelementptr inbounds nuw { ptr, i64 }, ptr %13, i32 0, i32 0
  %40 = extractvalue { ptr, i64 } %38, 0
  store ptr %40, ptr %39, align 8
  %41 = getelementptr inbounds nuw { ptr, i64 }, ptr %13, i32 0, i32 1
  %42 = extractvalue { ptr, i64 } %38, 1
  store i64 %42, ptr %41, align 8
  %43 = load i64, ptr %10, align 8
  %44 = getelementptr inbounds nuw { ptr, i64 }, ptr %13, i32 0, i32 0
  %45 = load ptr, ptr %44, align 8
  %46 = getelementptr inbounds nuw { ptr, i64 }, ptr %13, i32 0, i32 1
  %47 = load i64, ptr %46, align 8
  %48 = call i64 @bucket_home(ptr %45, i64 %47, i64 noundef %43)
  store i64 %48, ptr %14, align 8
  br label %49

49:
  %50 = getelementptr %struct.table, ptr %13, i32 0, i32 0
  %51 = load ptr, ptr %50, align 8
  %52 = load i64, ptr %14, align 8
  %53 = getelementptr i64, ptr %51, i64 %52
  store ptr %53, ptr %15, align 8
  %54 = load ptr, ptr %15, align 8
  %55 = load i64, ptr %10, align 8
  %56 = lshr i64 %55, 32
  %57 = load ptr, ptr %8, align 8
  %58 = getelementptr %struct.visited, ptr %57, i32 0, i32 1
  %59 = load i32, ptr %58, align 8
  %60 = call { i64, i64 } @shown_by(ptr noundef %54, i64 noundef %56, i32 noundef %59)
  %61 = getelementptr inbounds nuw { i64, i64 }, ptr %16, i32 0, i32 0
  %62 = extractvalue { i64, i64 } %60, 0
  store i64 %62, ptr %61, align 8
  %63 = getelementptr inbounds nuw { i64, i64 }, ptr %16, i32 0, i32 1
  %64 = extractvalue { i64, i64 } %60, 1
  store i64 %64, ptr %63, align 8
  %65 = getelementptr %struct.shown, ptr %16, i32 0, i32 0
  %66 = load i64, ptr %65, align 8
  %67 = getelementptr %struct.shown, ptr %16, i32 0, i32 1
  %68 = load i64, ptr %67, align 8
  %69 = xor i64 %68, -1
  %70 = and i64 %66, %69
  store i64 %70, ptr %17, align 8
  br label %71

71:
  %72 = load i64, ptr %17, align 8
  %73 = icmp ne i64 %72, 0
  br i1 %73, label %74, label %113

74:
  %75 = load ptr, ptr %8, align 8
  %76 = load ptr, ptr %8, align 8
  %77 = load ptr, ptr %15, align 8
  %78 = load i64, ptr %17, align 8
  %79 = call i64 @llvm.cttz.i64(i64 %78, i1 true)
  %80 = trunc i64 %79 to i32
  %81 = sext i32 %80 to i64
  %82 = getelementptr i64, ptr %77, i64 %81
  %83 = call i64 @load_slot(ptr noundef %76, ptr noundef %82)
  %84 = call { ptr, i64 } @known_by(ptr noundef %75, i64 noundef %83)
  %85 = getelementptr inbounds nuw { ptr, i64 }, ptr %18, i32 0, i32 0
  %86 = extractvalue { ptr, i64 } %84, 0
  store ptr %86, ptr %85, align 8
  %87 = getelementptr inbounds nuw { ptr, i64 }, ptr %18, i32 0, i32 1
  %88 = extractvalue { ptr, i64 } %84, 1
  store i64 %88, ptr %87, align 8
  %89 = getelementptr %struct.known, ptr %18, i32 0, i32 1
  %90 = load i64, ptr %89, align 8
  %91 = icmp ne i64 %90, 0
  br i1 %91, label %92, label %107

92:
  %93 = load ptr, ptr %7, align 8
  %94 = getelementptr %struct.known, ptr %18, i32 0, i32 0
  %95 = load ptr, ptr %94, align 8
  %96 = call i64 @rank_of(ptr noundef %93, ptr noundef %95)
  %97 = load i64, ptr %11, align 8
  %98 = icmp eq i64 %96, %97
  br i1 %98, label %99, label %107

99:
  %100 = load ptr, ptr %7, align 8
  %101 = getelementptr %struct.known, ptr %18, i32 0, i32 0
  %102 = load ptr, ptr %101, align 8
  %103 = load ptr, ptr %9, align 8
  %104 = call i64 @beyond_budgets(ptr noundef %100, ptr noundef %102, ptr noundef %103)
  %105 = icmp ne i64 %104, 0
  br i1 %105, label %107, label %106

106:
  store i32 1, ptr %6, align 4
  br label %126

107:
  br label %108

108:
  %109 = load i64, ptr %17, align 8
  %110 = sub i64 %109, 1
  %111 = load i64, ptr %17, align 8
  %112 = and i64 %111, %110
  store i64 %112, ptr %17, align 8
  br label %71, !llvm.loop !60

113:
  %114 = getelementptr %struct.shown, ptr %16, i32 0, i32 1
  %115 = load i64, ptr %114, align 8
  %116 = icmp ne i64 %115, 0
  br i1 %116, label %117, label %118

117:
  store i32 0, ptr %6, align 4
  br label %126

118:
  br label %119

119:
  %120 = load i64, ptr %14, align 8
  %121 = getelementptr inbounds nuw { ptr, i64 }, ptr %13, i32 0, i32 0
  %122 = load ptr, ptr %121, align 8
  %123 = getelementptr inbounds nuw { ptr, i64 }, ptr %13, i32 0, i32 1
  %124 = load i64, ptr %123, align 8
  %125 = call i64 @after(ptr %122, i64 %124, i64 noundef %120, i64 noundef 8)
  store i64 %125, ptr %14, align 8
  br label %49

126:
  %127 = load i32, ptr %6, align 4
  ret i32 %127
}

define internal i64 @next_rank(ptr noundef %0, i64 noundef %1, i64 noundef %2) #1 {
  %4 = alloca i64, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store i64 %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store i64 0, ptr %8, align 8
  br label %11

11:
  %12 = load i64, ptr %8, align 8
  %13 = load ptr, ptr %5, align 8
  %14 = getelementptr %struct.context, ptr %13, i32 0, i32 53
  %15 = load i64, ptr %14, align 8
  %16 = icmp ult i64 %12, %15
  br i1 %16, label %17, label %50

17:
  %18 = load ptr, ptr %5, align 8
  %19 = load i64, ptr %8, align 8
  %20 = call ptr @budget(ptr noundef %18, i64 noundef %19)
  store ptr %20, ptr %9, align 8
  %21 = load ptr, ptr %9, align 8
  %22 = getelementptr %struct.budget, ptr %21, i32 0, i32 2
  %23 = load i64, ptr %22, align 8
  %24 = load ptr, ptr %9, align 8
  %25 = getelementptr %struct.budget, ptr %24, i32 0, i32 4
  %26 = load i64, ptr %25, align 8
  %27 = shl i64 %23, %26
  store i64 %27, ptr %10, align 8
  %28 = load i64, ptr %6, align 8
  %29 = load i64, ptr %10, align 8
  %30 = and i64 %28, %29
  %31 = load i64, ptr %7, align 8
  %32 = load i64, ptr %10, align 8
  %33 = and i64 %31, %32
  %34 = icmp ult i64 %30, %33
  br i1 %34, label %35, label %42

35:
  %36 = load i64, ptr %6, align 8
  %37 = load ptr, ptr %9, align 8
  %38 = getelementptr %struct.budget, ptr %37, i32 0, i32 4
  %39 = load i64, ptr %38, align 8
  %40 = shl i64 1, %39
  %41 = add i64 %36, %40
  store i64 %41, ptr %4, align 8
  br label %52

42:
  %43 = load i64, ptr %10, align 8
  %44 = xor i64 %43, -1
  %45 = load i64, ptr %6, align 8
  %46 = and i64 %45, %44
  store i64 %46, ptr %6, align 8
  br label %47

47:
  %48 = load i64, ptr %8, align 8
  %49 = add i64 %48, 1
  store i64 %49, ptr %8, align 8
  br label %11, !llvm.loop !61

50:
  %51 = load i64, ptr %7, align 8
  store i64 %51, ptr %4, align 8
  br label %52

52:
  %53 = load i64, ptr %4, align 8
  ret i64 %53
}

define internal i64 @beyond_budgets(ptr noundef %0, ptr noundef %1, ptr noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store ptr %2, ptr %6, align 8
  store i64 0, ptr %7, align 8
  store i64 0, ptr %8, align 8
  br label %9

9:
  %10 = load i64, ptr %8, align 8
  %11 = load i64, ptr @words, align 8
  %12 = icmp ult i64 %10, %11
  br i1 %12, label %13, label %35

13:
  %14 = load ptr, ptr %5, align 8
  %15 = load i64, ptr %8, align 8
  %16 = getelementptr i64, ptr %14, i64 %15
  %17 = load i64, ptr %16, align 8
  %18 = load ptr, ptr %6, align 8
  %19 = load i64, ptr %8, align 8
  %20 = getelementptr i64, ptr %18, i64 %19
  %21 = load i64, ptr %20, align 8
  %22 = xor i64 %17, %21
  %23 = load ptr, ptr %4, align 8
  %24 = getelementptr %struct.context, ptr %23, i32 0, i32 51
  %25 = load ptr, ptr %24, align 8
  %26 = load i64, ptr %8, align 8
  %27 = getelementptr i64, ptr %25, i64 %26
  %28 = load i64, ptr %27, align 8
  %29 = and i64 %22, %28
  %30 = load i64, ptr %7, align 8
  %31 = or i64 %30, %29
  store i64 %31, ptr %7, align 8
  br label %32

32:
  %33 = load i64, ptr %8, align 8
  %34 = add i64 %33, 1
  store i64 %34, ptr %8, align 8
  br label %9, !llvm.loop !62

35:
  %36 = load i64, ptr %7, align 8
  ret i64 %36
}

define internal void @move_on(ptr noundef %0, ptr noundef %1, i32 noundef %2) #1 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i32 %2, ptr %6, align 4
  %7 = load i32, ptr %6, align 4
  %8 = icmp ne i32 %7, 0
  br i1 %8, label %9, label %18

9:
  %10 = load ptr, ptr %4, align 8
  %11 = load ptr, ptr %5, align 8
  %12 = getelementptr %struct.flight, ptr %11, i32 0, i32 2
  %13 = load ptr, ptr %12, align 8
  %14 = load ptr, ptr %5, align 8
  %15 = getelementptr %struct.flight, ptr %14, i32 0, i32 3
  %16 = getelementptr [2 x i64], ptr %15, i64 0, i64 1
  %17 = load i64, ptr %16, align 8
  call void @settle_shared(ptr noundef %10, ptr noundef %13, i64 noundef %17)
  br label %27

18:
  %19 = load ptr, ptr %4, align 8
  %20 = load ptr, ptr %5, align 8
  %21 = getelementptr %struct.flight, ptr %20, i32 0, i32 2
  %22 = load ptr, ptr %21, align 8
  %23 = load ptr, ptr %5, align 8
  %24 = getelementptr %struct.flight, ptr %23, i32 0, i32 3
  %25 = getelementptr [2 x i64], ptr %24, i64 0, i64 1
  %26 = load i64, ptr %25, align 8
  call void @settle(ptr noundef %19, ptr noundef %22, i64 noundef %26)
  br label %27

27:
  %28 = load i32, ptr %6, align 4
  %29 = icmp ne i32 %28, 0
  br i1 %29, label %30, label %39

30:
  %31 = load ptr, ptr %4, align 8
  %32 = load ptr, ptr %5, align 8
  %33 = getelementptr %struct.flight, ptr %32, i32 0, i32 1
  %34 = load ptr, ptr %33, align 8
  %35 = load ptr, ptr %5, align 8
  %36 = getelementptr %struct.flight, ptr %35, i32 0, i32 3
  %37 = getelementptr [2 x i64], ptr %36, i64 0, i64 0
  %38 = load i64, ptr %37, align 8
  call void @look_shared(ptr noundef %31, ptr noundef %34, i64 noundef %38)
  br label %48

39:
  %40 = load ptr, ptr %4, align 8
  %41 = load ptr, ptr %5, align 8
  %42 = getelementptr %struct.flight, ptr %41, i32 0, i32 1
  %43 = load ptr, ptr %42, align 8
  %44 = load ptr, ptr %5, align 8
  %45 = getelementptr %struct.flight, ptr %44, i32 0, i32 3
  %46 = getelementptr [2 x i64], ptr %45, i64 0, i64 0
  %47 = load i64, ptr %46, align 8
  call void @look(ptr noundef %40, ptr noundef %43, i64 noundef %47)
  br label %48

48:
  ret void
}

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

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #6

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #7

attributes #0 = { noinline nounwind }
attributes #1 = { alwaysinline nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind }
attributes #5 = { nounwind }
attributes #6 = { nounwind }
attributes #7 = { nounwind }

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
!18 = distinct !{!18, !4, !19}
!19 = !{!"llvm.loop.unroll.full"}
!20 = distinct !{!20, !4}
!21 = distinct !{!21, !4}
!22 = distinct !{!22, !4}
!23 = distinct !{!23, !4}
!24 = distinct !{!24, !4}
!25 = distinct !{!25, !4}
!26 = distinct !{!26, !4, !19}
!27 = distinct !{!27, !4}
!28 = distinct !{!28, !4, !19}
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
!45 = !{i8 0, i8 2}
!46 = !{}
!47 = distinct !{!47, !4, !19}
!48 = distinct !{!48, !4, !19}
!49 = distinct !{!49, !4}
!50 = distinct !{!50, !4}
!51 = distinct !{!51, !4, !19}
!52 = distinct !{!52, !4}
!53 = distinct !{!53, !4}
!54 = distinct !{!54, !4}
!55 = distinct !{!55, !4}
!56 = distinct !{!56, !4}
!57 = distinct !{!57, !4}
!58 = distinct !{!58, !4}
!59 = distinct !{!59, !4}
!60 = distinct !{!60, !4}
!61 = distinct !{!61, !4}
!62 = distinct !{!62, !4, !19}
