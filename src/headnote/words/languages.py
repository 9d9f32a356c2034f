"""Which language a text is in, and the words that every text in a language has, whatever it is about.

Another script says so by itself. Among the languages in Latin letters the most frequent words decide. A text that is
clearly in none of them counts as English, as names and code do.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

SAMPLE = 1_000
"""Characters that are looked at, at the beginning and in the middle."""
ENOUGH = 0.08
"""Share of the words of a text that are function words of its language. They are a third of English prose, a tenth of
Turkish."""
MIN_WORDS = 5
"""Words. Fewer may be a quotation."""
LEAD = 1.5
"""How much more frequent than those of English they are: languages share some words (`die`, `in`)."""

ENGLISH = """
a about after all also am an and any are as at be been before between both but by can could did do does each few for
from had has have how i if in into is it its may me more most my no not of on or other our over same should so some
such than that the their them then there these they this through to under until up us use using very was we were what
when where which while who why will with would you your
"""
COMPUTING = """
addon admin analytics api args ascii async auth autocomplete backend backlink backup bash binary bitmap blob blog
boolean bootstrap breadcrumb browser cache callback callout changelog checkbox checksum cli clipboard codebase
compiler config cookie cors cron css csv daemon dashboard dataset datatype debugger deadlock dependency deploy deps
dev dict diff docker dockerfile dropdown embed emoji encoder endpoint enum env failover filename filesystem firewall
flask font fork frontend frontmatter gateway git github gitlab glob glossary hash hashtag header hostname hotkey html
http https iframe init inline iterator java javascript json jwt keyboard keyword kubernetes lambda latency linter
linux localhost lockfile login logout loop macro markdown memoization metadata metric microservice middleware
minification modal monorepo mutex namespace navbar nginx nullable oauth offline online opacity overflow pagination
parameter params parser password payload pipeline pixel placeholder plugin polyfill popup preprocessor prod
programmatic protobuf proxy punctuation python query queue react readme recursion redirect refactor regex repo runtime
sandbox scalability schema scrollbar sdk semantics serializable serializer serverless sidebar snapshot snippet socket
sqlite stacktrace stderr stdin stdout string subfolder subnet substring superuser svg swagger symlink syntax tabular
telemetry template terraform throughput timeout timestamp timezone tokenizer toml tooltip traceback tuple typescript
ui undo unicode unix upload uptime url username utf uuid validator var venv viewport virtualenv webhook websocket
whitespace wiki wikilink wildcard workflow workspace xml yaml
"""
"""Words of documentation that are rare elsewhere, or newer than lists of words."""
LATIN = {
    "danish": """
af alle at blev da de den denne der deres det dette dig din du efter eller en er et for fra før ham han har hun hvad
hvem hver hvilke hvilken hvilket hvis hvor hvordan hvorfor hvornår i ikke ind jeg kan man med mellem mere mod når og
også om op os over på sig sin skal som til ud under var ved vi vil være""",
    "dutch": """
aan al als bij dan dat de der deze die dit door een en er had heb hebben heeft hem het hij hoe hoeveel hun ik in is ja
je kan maar met mijn na naar niet nog nu of om onder ook op over te tot tussen uit van veel voor waar waarom wanneer
was wat we welk welke werd wie wij wordt worden zich zij zijn zo zou""",
    "finnish": """
että ei eli en ennen hän he ja jo joka jos josta jotka kanssa koska kuin kuinka kuka kun me mihin mikä miksi milloin
missä mistä mitä miten mitkä mutta myös ne ni niin nyt olla oli olivat on ovat se sen siitä sitä tai tämä tämän vai
vain voi""",
    "french": """
à au aux avec ce ces cette comment combien comme dans de des du elle en entre est et été était étaient eu il ils je
la le les leur leurs lui mais même ne nous on ont où ou par pas plus pour pourquoi quand que quel quelle quelles quels
qui quoi sa se ses son sont sous sur un une vous y""",
    "german": """
aber als am an auch auf aus bei beim bis das dass dem den der des die durch ein eine einem einen einer eines er es für
gibt hat hatte hatten haben ich im in ins ist kann können man mit nach nicht noch nur oder sein seine sich sie sind so
über um und unter viel viele vom von vor wann war waren warum was welche welchem welchen welcher welches wem wen wenn
wer werden wessen wie wieso wir wird wo wurde wurden zu zum zur zwischen""",
    "hungarian": """
a az ahogy ami amely amikor be csak de egy egyik el és ez ezt fel ha hány hogy hogyan hol honnan hova is ki kik le
lehet lesz még meg mely melyik mennyi mert mi mikor milyen mint mit nem nincs olyan s se sem szerint után vagy van
vannak volt voltak""",
    "italian": """
a agli ai al alla alle anche chi che come con cosa cui da dagli dai dal dalla dei degli del dell della delle di dove e
è era erano fra gli ha hanno i il in la le lo ma mentre nel nell nella nelle non o per perché più qual quale quali
quando quanta quante quanti quanto questa questo se sono su sul sulla tra un una uno""",
    "norwegian": """
av alle at ble da de den denne der deres det dette deg din du eller en er et etter for fra før ham han har hun hva
hvem hver hvilke hvilken hvilket hvis hvor hvordan hvorfor i ikke inn jeg kan man med mellom mer mot når og også om
opp oss over på seg sin skal som til ut under var ved vi vil være""",
    "portuguese": """
a ao aos as até com como da das de do dos e é ela ele eles em entre era eram essa esse esta este foi foram há isso já
mais mas muito na nas não no nos o onde os ou para pela pelas pelo pelos por porque qual quais quando quanta quantas
quanto quantos que quem são se sem ser seu sua também tem têm um uma""",
    "romanian": """
a ai al ale am ar are au ca care când cât câte câți ce cel cele cine cu cum că da de din după este ești fi fost în
într între la le lui mai nu o pe pentru prin sa sale sau să se sunt și un unde unei unor unui""",
    "spanish": """
a al como cómo con cuál cuáles cuando cuándo cuánta cuántas cuánto cuántos de del donde dónde e el ella en entre era
eran es esta este está están fue fueron ha hace han hasta hay la las le les lo los más muy no nos o para pero por qué
que quién quiénes se ser si sin sobre son su sus también un una uno unos y ya""",
    "swedish": """
alla att av blev de dem den denna deras det detta dig din du där efter eller en er ett från för före han har hon hur
hos i in inte jag kan man med mellan mer mot när och också om oss på sig sin ska som till under upp ut vad var varför
vem vi vid vilka vilken vilket är över""",
    "turkish": """
ama bir bu çok da daha de değil diye en gibi göre hangi hangisi hem her ile için ise kaç kadar kim kime kimi kimin mı
mi mu mü ne neden nedir nerede nereden nereye niçin o olan olarak oldu olduğu olduğunu olur önce sonra şu tarafından
tane var vardır ve veya ya yok""",
    "vietnamese": """
ai bao bị bởi các cái cho có của cũng đã đang đâu để đến đi đó được gì hay hoặc hơn khi không là lại làm mà một nào này
nên nếu ngày nhiêu nhiều như những nhưng phải ra rất sao sau sẽ số tại theo thế thì trên trong từ và vào về vì với""",
}
"""Language → its most frequent function words, question words among them."""

OTHER_SCRIPTS = """
ή αν από για γιατί δεν είναι είχαν είχε ένα ένας έχει έχουν η ήταν θα και κατά με μετά μια μία να ο οι ποια ποιες ποιο
ποιοι ποιον ποιος ποιους ποιων πόσα πόσες πόση πόσο πόσοι πόσους πότε που πού πριν προς πώς πως σε στα στη στην στις
στο στον στου στους τα τη την της τι τις το τον του τους των ως

а без бы был была были было в вам во вот все всех вы где да для до его ее если есть еще же за зачем и из или им их к
как какая какие какой каком какую когда кого кому которые который кто куда ли на над не него нее нет но о об он она
они оно от по под почему при с сколько со так также то того тоже только у уже чего чем что чтобы эта эти это этот

إلى أن أو أي أين الذي التي الذين إن أنه أنها بعد بين تم ثم حتى حول حيث خلال ذلك عدد على عن عند غير في فيها فيه قبل قد
كان كانت كل كم كما كيف لا لم لماذا لها له ما ماذا متى مع من منذ منها هذا هذه هل هم هو هي و يتم يكون

इन इस उन उस एक और कब कर करता करते करने कहाँ कहां का कि कितना कितनी कितने किया किस किसका किसकी किसके किसको किसने किसे की
के को कैसे कौन कौनसा कौनसी क्या क्यों गई गए गया जो तक तथा तो था थी थे दिया द्वारा नहीं ने पर भी में यह या ये रहा रही रहे
लिए वह वाला वाली वाले वे सकता सकते साथ से हुआ हुई हुए है हैं हो होता होती होते

の は を が に で と も へ や か な た だ て し れ り 何 的 了 是 在 和 与 有 被 之 也 吗 呢 이 가 을 를 은 는 의 에
"""
"""Function words of languages that their script tells apart."""

QUESTIONS = {
    "": """
are can could did do does how hows is should what whats when whens where wheres which who whos whose why whys will would
""",
    "danish": "hvad hvem hvilke hvilken hvilket hvor hvordan hvorfor hvornår",
    "dutch": "hoe hoeveel waar waarom wanneer wat welk welke wie",
    "finnish": "kuinka kuka mihin mikä miksi milloin missä mistä mitä miten mitkä",
    "french": "combien comment où pourquoi quand que quel quelle quelles quels qui quoi",
    "german": "wann warum was welche welchem welchen welcher welches wem wen wer wessen wie wieso wo",
    "hungarian": "hány hogyan hol honnan hova ki kik mely melyik mennyi mi mikor milyen mit",
    "italian": "che chi come cosa dove perché qual quale quali quando quanta quante quanti quanto",
    "norwegian": "hva hvem hvilke hvilken hvilket hvor hvordan hvorfor",
    "portuguese": "como onde porque qual quais quando quanta quantas quanto quantos que quem",
    "romanian": "când cât câte câți ce cine cum unde",
    "spanish": "cómo cuál cuáles cuándo cuánta cuántas cuánto cuántos dónde qué quién quiénes",
    "swedish": "hur när vad var varför vem vilka vilken vilket",
    "turkish": "hangi hangisi kaç kim kime kimi kimin ne neden nedir nerede nereden nereye niçin",
    "vietnamese": "ai bao đâu gì làm nào sao",
}
"""Language in Latin letters → the words with which a question begins; of English if it is empty."""
QUESTIONS_IN_OTHER_SCRIPTS = """
γιατί ποια ποιες ποιο ποιοι ποιον ποιος ποιους ποιων πόσα πόσες πόση πόσο πόσοι πόσους πότε πού πώς τι
где зачем как какая какие какой каком какую когда кого кому кто куда почему сколько такое чего чем что
أي أين كم كيف لماذا ما ماذا متى هل
कब कहाँ कहां कितना कितनी कितने किस किसका किसकी किसके किसको किसने किसे कैसे कौन कौनसा कौनसी क्या क्यों
"""
WITHOUT_BLANKS = """
ใคร ใครบ้าง อะไร อะไรบ้าง ที่ไหน ไหน เมื่อไร เมื่อไหร่ เมื่อใด เท่าไร เท่าไหร่ เท่าใด อย่างไร ยังไง ทำไม เพราะเหตุใด เพราะอะไร กี่ หรือไม่ ใด
什么 什么样 甚麼 什麼 谁 誰 哪 哪个 哪些 哪里 哪一 哪裡 哪個 多少 多久 几个 幾個 怎么 怎么样 怎样 怎麼
如何 为什么 為什麼 为何 何时 何處 何处 是否 请问
何ですか なに なぜ どうして いつ どこ だれ どの どのような どのように どのくらい
どれ どんな いくつ いくら ですか ますか でしょうか とは
무엇 누구 누가 어디 언제 어떻게 어떤 얼마나 왜 몇
"""
"""Words with which people ask, in scripts without blanks."""


def language_of(text: str) -> str:
    """The language of a text in Latin letters; empty for English, and for a text that does not tell.

    >>> language_of("Die Datenbank wird mit dem Befehl unten gestartet, und sie läuft, bis man sie beendet.")
    'german'
    """
    middle = max(len(text) // 2, SAMPLE)
    return _language_of(text[:SAMPLE] + " " + text[middle : middle + SAMPLE])


@lru_cache(maxsize=2048)  # the chunks of a document are read one by one, and the best ones again and again; 4 MB
def _language_of(sample: str) -> str:
    words = sample.lower().split()
    english = count_of_function_words(words, "")
    if english * LEAD >= len(words) / 4:
        return ""  # most texts: nothing else is that frequent
    enough = max(english * LEAD, ENOUGH * len(words), MIN_WORDS)
    counts = {language: count_of_function_words(words, language) for language in LATIN}
    best = max(counts, key=counts.__getitem__)  # the first of those that are equal
    return best if counts[best] > enough else ""


def count_of_function_words(words: Iterable[str], language: str) -> int:
    """How many of these words, in small letters, are function words of a language."""
    return sum(map(function_words_of(language).__contains__, words))


@cache
def function_words_of(language: str) -> frozenset[str]:
    """Of a language in Latin letters; of English if it is empty."""
    return frozenset((LATIN[language] if language else ENGLISH).split())
