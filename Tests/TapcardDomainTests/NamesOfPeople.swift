/// Names of people as they are written in their languages, in Unicode's composed form.
let namesOfPeople = [
    "Amanda Gonzalez", "José Núñez", "Jürgen Müller", "Zoë Lefèvre", "Łukasz Żółć", "Žofie Černá",
    "Nguyễn Thị Ánh", "Björk Guðmundsdóttir", "Şükrü Öztürk", "Дмитрий Иванов", "Олена Ковальчук",
    "Γιώργος Παπαδόπουλος", "محمد علي", "فاطمة الزهراء", "שרה כהן", "山田太郎", "佐藤さくら",
    "김민준", "王小明", "अमित शर्मा",
]
