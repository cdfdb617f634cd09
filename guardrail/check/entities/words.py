"""Word lists of this package: what people and things are called, and what they do, by field.

Two descriptions in different fields ("swimmer", "senator") speak for two individuals; two in one field do not, since
sources describe one person in many ways. The lists are closed on purpose: an unknown word never splits anybody.
"""

from __future__ import annotations

_FIELDS: dict[str, str] = {
    "swim": "swimmer",
    "football": "footballer football soccer goalkeeper midfielder striker quarterback linebacker 足球",
    "cricket": "cricketer cricket",
    "baseball": "baseball pitcher infielder outfielder",
    "rugby": "rugby",
    "hockey": "hockey",
    "basketball": "basketball",
    "athletics": "sprinter runner athlete hurdler jumper decathlete 运动员 游泳 田径",
    "racing": "racing driver jockey cyclist motorcyclist rower sailor",
    "games": "quiz chess poker gamer snooker darts",
    "combat": "boxer wrestler fencer judoka",
    "courts": "tennis golfer badminton squash skier skater gymnast",
    "letters": "writer author poet novelist journalist playwright essayist "
    "editor cartoonist columnist 作家 诗人 记者 编辑",
    "art": "artist animator painter sculptor photographer illustrator designer "
    "architect engraver 画家 摄影师 设计师 建筑师 书法家",
    "music": "musician singer guitarist composer drummer percussionist pianist violinist rapper songwriter bassist "
    "saxophonist trumpeter conductor vocalist 歌手 音乐家 作曲家 钢琴家",
    "stage": "actor actress director filmmaker screenwriter comedian "
    "broadcaster presenter producer dancer 演员 导演 主持人",
    "state": "politician senator congressman governor minister mayor diplomat ambassador president councillor activist "
    "政治家 市长 部长 大使 议员",
    "law": "lawyer judge attorney barrister jurist solicitor 律师 法官",
    "army": "soldier general officer admiral colonel brigadier aviator "
    "pilot commander lieutenant captain 军官 将军 飞行员",
    "church": "bishop priest theologian pastor missionary archbishop jesuit rabbi cardinal monk saint 僧人 牧师",
    "science": "scientist physicist chemist biologist mathematician engineer astronomer geologist botanist zoologist "
    "inventor researcher hydrologist pharmacist statistician 科学家 物理学家 化学家 数学家 工程师 水文",
    "medicine": "physician surgeon doctor nurse psychiatrist dentist 医生 护士 中医",
    "scholar": "professor historian philosopher economist sociologist linguist educator teacher archaeologist "
    "教授 教师 历史学家 经济学家",
    "trade": "businessman businesswoman entrepreneur banker industrialist executive merchant 企业家 商人",
    "farm": "farmer gardener brewer chef 农民 厨师",
    "crime": "murderer criminal gangster outlaw spy",
    "explore": "explorer mountaineer navigator 探险家 登山",
    "peer": "baron baronet baroness viscount earl marquess duke count "
    "prince king queen emperor nobleman peer 国王 皇帝 王子",
    "firm": "company corporation manufacturer airline bank brewery 公司",
    "place": "city town village river mountain lake island county country district municipality 城市 河流 湖泊 县 镇",
    "screen": "film movie series 电影 电视剧",
    "record": "album song single band 专辑 歌曲 乐队",
    "book": "novel book magazine newspaper poem 小说 杂志",
    "life": "genus species snake bird plant fish tree 物种",
    "code": "language software framework library 编程语言 软件",
    "myth": "god goddess deity mythology",
    "vessel": "ship warship submarine",
    "play": "game videogame",
    "element": "planet metal element",
}
FIELD_OF = {word: field for field, words in _FIELDS.items() for word in words.split()}
"""Each word that says what somebody or something is, with its field."""

THINGS = frozenset("firm place screen record book life code myth vessel play element".split())
"""Fields of things; all others are of people."""

KIND_HEADS = frozenset(
    "player coach manager umpire referee league union star critic prop official personality administrator".split()
)
"""Last words of a description that names a field before them ("football coach", "rugby league")."""

BEARERS = frozenset(
    "bookbinder curator performer translator publisher umpire antiquary mp mep unionist chancellor vice-chancellor "
    "personality expert critic programmer reporter trader founder settler".split()
)
"""What people are called that says no field."""

NO_BEARERS = frozenset("list checklist playlist wishlist shortlist watchlist gist twist mist human woman's".split())
"""Words with the ending of an occupation that are none."""

NICKNAMES = tuple(
    frozenset(names.split())
    for names in (
        "robert bob bobby robbie bert, william bill billy willie liam, richard dick rick ricky richie, james jim jimmy "
        "jamie, john jack johnny jon, thomas tom tommy, michael mike mick mickey, edward ed eddie ted ned, "
        "charles charlie chuck, henry harry hank, joseph joe joey, daniel danny, david dave, francis frank, "
        "margaret maggie peggy meg, elizabeth liz beth betty, katherine catherine kate kathy cathy katie, "
        "anthony tony, andrew andy drew, lawrence laurence larry, peter pete, stephen steven steve, "
        "theodore ted teddy, jeffrey geoffrey jeff geoff, kenneth kenny, ronald ronnie, donald donnie, "
        "alexander sandy alec, patrick paddy, patricia patty, nicholas nick, christopher chris, frederick freddie, "
        "albert al bert, gerald gerry jerry, susan sue, deborah debbie, vincent vince, nathaniel nathan, "
        "mary molly polly, mark marc, carl karl, eric erik, ann anne anna, jane janet jenny"
    ).split(", ")
)
"""Sets of given names that one person may go by; short forms of three or four letters ("Alex") need no entry."""

HONORIFICS = frozenset(
    "mr mrs ms dr sir dame lord lady prof professor father rev reverend brigadier general colonel captain major "
    "lieutenant saint st president senator cbe obe mbe phd md".split()
)
GENERATIONS = frozenset("jr sr ii iii iv".split())
PARTICLES = frozenset(
    "de la los las del der den van von da di du le el al bin ibn y of dos das do af zu ter ten".split()
)
