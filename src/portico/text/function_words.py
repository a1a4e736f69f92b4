"""Words without a subject, by language: articles, prepositions, common academic words."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

from portico.text.words import STOP_WORDS

_GERMAN = """
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes anderm andern
anders auch auf aus bei beim bin bis bist bzw da dabei dadurch dafür dagegen daher dahin damals damit danach
daneben dann daran darauf daraus darf darin darum darüber das dass davon dazu daß dein deine deinem deinen
deiner dem den denn dennoch der deren derer des deshalb dessen desto die dies diese dieselbe diesem diesen
dieser dieses doch dort drei du durch eben ebenso ein eine einem einen einer eines einig einige einigem
einigen einiger einiges einmal er es etwa etwas euch euer eure für ganz gar gegen gegenüber geht gibt haben
hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im immer in indem
infolge innerhalb ins insbesondere ist ja je jede jedem jeden jeder jedes jedoch jene jenem jenen jener
jenes jetzt kann kein keine keinem keinen keiner können könnte lassen lässt machen man manche mehr mein
meine meist mich mir mit mittels muss musste mussten müssen nach nachdem nahezu neben nicht nichts noch nun
nur ob oder ohne per rund schon sehr seien sein seine seinem seinen seiner seines seit selbst sich sie sind
so sogar solche solchem solchen solcher solches soll sollen sollte sondern sonst sowie sowohl statt steht
stets um und uns unser unsere unter usw viel viele vielen vom von vor war waren warum was weder wegen weil
welche welchem welchen welcher welches wenig weniger wenn wer werde werden wie wieder will wir wird wirst wo
wobei wodurch wohl wollen worden wurde wurden während wäre würde würden z zu zum zur zwar zwei zwischen über
"""
_FRENCH = """
afin ai ainsi alors après au aucun aucune aujourd auquel aussi autour autre autres aux auxquels avait avant
avec avoir c ce ceci cela celle celles celui cependant ces cet cette ceux chaque chez comme comment d dans
de depuis des desquels deux dont du duquel dès elle elles en encore entre est et eu eux face faire fait font
grâce hors ici il ils j je jusqu jusque l la laquelle le lequel les lesquels leur leurs lors lorsque lui m
ma mais malgré me mes moins mon même mêmes n ne ni non nos notre nous on ont or ou où par parce parmi pas
pendant peu peut peuvent plus plusieurs plutôt pour pourquoi puis puisque qu quand que quel quelle quelles
quelque quelques quels qui quoi s sa sans se selon sera serait ses seulement si sinon soit son sont sous
souvent sur t ta tandis tant te tel telle telles tels tes ton tous tout toute toutes trois trop très tu un
une vers via voici vos votre vous vu y à étaient était été être
"""
_SPANISH = """
a además al algo alguna algunas alguno algunos ante antes aquel aquella aquellas aquellos aquí así aunque
aún bajo bien cada casi como con contra cual cuales cualquier cuando cuanto cuya cuyas cuyo cuyos cuál cómo
da de debe deben debido del desde después dicha dicho donde dos durante e el ella ellas ellos en entre era
eran es esa esas ese eso esos esta estas este esto estos está están fue fueron gran ha haber había hace
hacia han hasta hay incluso la las le les lo los luego mas me mediante menos mi mientras mis misma mismas
mismo mismos muy más nada ni no nos nosotros nuestra nuestras nuestro nuestros o otra otras otro otros para
pero poco por porque posible puede pueden pues que quien quienes qué se sea sean según ser si sido siempre
sin sino sobre solo son su sus sí sólo también tan tanto te tiene tienen toda todas todavía todo todos tras
tres tu tus u un una unas uno unos vez y ya yo él
"""
_PORTUGUESE = """
a ainda algum alguma algumas alguns ao aos apenas após aquela aquelas aquele aqueles aquilo as assim através
até cada com como contra cuja cujas cujo cujos da das de dela delas dele deles depois desde dessa dessas
desse desses desta destas deste destes do dois dos duas durante e ela elas ele eles em embora enquanto entre
era eram essa essas esse esses esta estas este estes está estão eu faz foi foram há isso isto já la lhe lhes
lo mais mas me mediante mesma mesmo meu muito na nas nem no nos nossa nossas nosso nossos num numa não nós o
onde os ou outra outras outro outros para pela pelas pelo pelos per perante pode podem pois por porque porém
quais qual qualquer quando quanto que quem se seja sejam sem sendo ser será seu seus si sido sob sobre sua
suas são também tanto te tem ter toda todas todo todos três tu têm um uma umas uns vez à às é
"""
_ITALIAN = """
a ad agli ai al alcune alcuni all alla alle allo allora altra altre altri altro anche ancora attraverso
avere aveva c che chi ci circa ciò col come con contro così cui d da dagli dai dal dall dalla dalle dallo
degli dei del dell della delle dello dentro di dopo dove due durante e ed essere esso fa fino fra fu furono
gli ha hanno i il in infatti inoltre invece io l la le lei li lo loro lui ma mediante meno mentre mi mia mio
molte molti molto ne negli nei nel nell nella nelle nello no noi non nostra nostre nostri nostro o ogni
oltre oppure ora per perché però più poi presso prima può qual quale quali quando quanto quasi quella quelle
quelli quello quest questa queste questi questo qui quindi s sarà se secondo sei sembra sempre senza si sia
sono sopra sotto stata stati stato su sua sue sugli sui sul sull sulla sulle sullo suo suoi tale tali tanto
te ti tra tre tu tutta tutte tutti tutto un una uno v verso vi viene voi è
"""
_DUTCH = """
aan af al alle alleen als andere ben bij binnen bovendien daar daarbij daarom dan dat de der deze die dit
doch doen door dus echter een eens en enige er ergens ge geen geweest haar had heb hebben heeft heel hem hen
het hier hij hoe hun iemand iets ik in indien is ja je kan kon kunnen maar me meer men met mij mijn moet
moeten na naar naast niet niets nog nu of om omdat onder ons onze ook op over per reeds sinds slechts
sommige steeds te tegen ten ter toch toen tot tussen twee u uit uw van vanuit veel voor voordat waar waarbij
waarin waren was wat we wel welke werd werden wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo
zoals zodat zonder zou één
"""

FUNCTION_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "en": STOP_WORDS,
        "de": frozenset(_GERMAN.split()),
        "fr": frozenset(_FRENCH.split()),
        "es": frozenset(_SPANISH.split()),
        "pt": frozenset(_PORTUGUESE.split()),
        "it": frozenset(_ITALIAN.split()),
        "nl": frozenset(_DUTCH.split()),
    }
)

_LANGUAGES_OF: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        word: tuple(language for language, known in FUNCTION_WORDS.items() if word in known)
        for known in FUNCTION_WORDS.values()
        for word in known
    }
)

# Words that scholars use for any subject, English first: none of these alone can name a topic.
_ALWAYS_SAID = """
abstract according addition additional address aim aims allow allows analyse analyses analysis analyze
analyzed analyzing and application applications applied apply approach approaches area areas argue argues
article aspect aspects assess assessed assessing assessment associated attempt author authors available
average based basic basis best better beyond book bring broad called case cases central century certain
challenge challenges change changes changing chapter characteristic characteristics clear close code common
comparative compare compared comparing comparison complex component components concept conclude conclusion
conclusions condition conditions consider considered consists contain content context contribute
contribution contributions copyright current currently data day days degree demonstrate depend dependent
describe described describes description design designed detail detailed determine develop developed
developing development differ difference differences different difficult direct discuss discussed discusses
discussion distinct doi due early effect effective effects efficient element elements elsewhere emerging
employ enable enables end establish estimate estimated evaluate evaluated evaluation evidence examine
examined examines example examples exist existing experiment experimental experiments explain explore
explored explores exploring extend extended extent fact factor factors feature features field fields figure
final finally find finding findings first focus focused focuses follow following form forms found four
framework free full fully function functions fundamental future general generally good great greater group
groups hand help high higher highly idea identified identify impact implementation implications importance
important improve improved improvement include included includes including increase increased increasing
increasingly independent indicate indicated individual influence information initial insight insights
instead institute interest interesting international introduce introduced introduction investigate
investigated investigation involve issue issues item items journal key kind kinds know known lack large
largely larger late later latter lead leading led level levels life light likely limit limited line
literature little local long low lower main major measure measured measures measuring mechanism method
methodology methods model modeled modeling modelling models modern multiple namely nature near necessary
need needed needs new next nonetheless novel number numbers numerous object objective objectives observation
observations observed obtain obtained occur offer offers old open order original outcome outcomes overall
overview page pages part participants particular particularly parts past people performance performed period
perspective perspectives phase place play point points possible potential practical practice practices
predict present presented presents previous previously primary principal problem problems procedure proceed
proceedings process processes produce produced project proposal propose proposed proposes provide provided
provides providing publication published purpose quality quantitative question questions range rate rates
reach real recent recently recommend reduce reduced reference references reflect regard regarding related
relation relations relationship relationships relative relatively relevant remain report reported represent
require required research researcher researchers respect respectively response result resulting results
reveal review reviewed right rights role sample samples school science scientific second section see seek
seen select selected sense series serve set sets setting settings short significance significant
significantly similar simple single situation size small solution solutions special specific specifically
stage standard start state states still strategies strategy strong strongly structure structures studied
studies study subject subjects substantial successful suggest suggested suggests summary support supported
system systems table take taken task tasks technique techniques technology term terms test tested testing
tests theoretical theory thesis thing third three time times together tool tools topic topics total
traditional treat trend turn type types typical typically understand understanding understood unique
university usage user users usually valid value values variable variables variation varied variety version
view volume way ways week whole wide widely widespread word words work working works world year years yield

analyse analysen ansatz ansätze arbeit art artikel aspekte aufsatz band bedeutung begriff beispiel beitrag
beiträge bereich bereiche bericht buch daten diskussion ebene einfluss einleitung empirische entwicklung
ergebnis ergebnisse faktoren form formen forschung forschungen frage fragen grund grundlage hintergrund jahr
jahre jahren kapitel literatur methode methoden neue neuen neuer neues perspektive perspektiven problem
probleme rahmen rolle sinne stand studie studien teil text thema themen theorie these thesen titel
unterschiede untersuchung untersuchungen verfahren verhältnis wandel weise werk wissenschaft zeit
zeitschrift ziel zusammenfassung zusammenhang

analyse année années approche article aspects auteur auteurs cadre cas chapitre contexte contribution cours
dernière domaine données développement effet effets enjeux ensemble exemple façon fonction forme formes
introduction manière mise modèle modèles méthode méthodes nouveau nouveaux nouvelle nouvelles objectif objet
ouvrage partie perspective place point problème problèmes question questions rapport recherche recherches
résultat résultats résumé rôle sens situation siècle sujet système temps texte théorie titre travail travaux
type vue étude études évolution

análisis artículo aspectos autor autores año años caso casos conclusiones contexto datos desarrollo
diferentes efecto efectos ejemplo enfoque estudio estudios evaluación forma formas función grupo importancia
investigaciones investigación libro marco modelo modelos método métodos nivel niveles nueva nuevas nuevo
nuevos objetivo objetivos papel parte perspectiva presente problema problemas proceso procesos propuesta
relación resultado resultados resumen sistema situación tema temas teoría texto tipo tipos trabajo trabajos
título uso

ano anos análise artigo aspectos autores caso casos conclusões contexto dados desenvolvimento diferentes
efeito efeitos estudo estudos exemplo forma formas grupo importância introdução livro metodologia modelo
método nova novas novo novos nível objetivo objetivos papel parte perspectiva pesquisa pesquisas presente
problema processo questão questões relação resultado resultados resumo sistema tema teoria texto tipo
trabalho trabalhos título uso

analisi anni anno articolo aspetti autore autori casi caso contesto dati diversi effetti effetto esempio
forma forme introduzione lavoro metodi metodo modelli modello nuova nuove nuovi nuovo obiettivo parte
problema problemi processo prospettiva questione questioni rapporto ricerca ricerche risultati ruolo secolo
sistema studi studio tema teoria testo tipo titolo uso

aanpak analyse artikel aspecten auteur auteurs bijdrage boek context deel doel effect effecten gebruik
gegevens gevolg hoofdstuk inleiding invloed jaar jaren literatuur methode methoden model modellen nieuwe
onderzoek onderzoeken ontwikkeling probleem problemen proces resultaat resultaten rol samenvatting studie
studies theorie tijd titel vorm vraag vragen werk
"""
_PUBLICATIONS = (
    "collection compilation conference edition essay essays guide handbook manual reader reading workshop"
)
_KEYWORDS = "keywords palabras clave mots clés schlüsselwörter schlagwörter parole chiave palavras-chave"
_MONTHS = "january february march april may june july august september october november december"
ALWAYS_SAID = frozenset(f"{_ALWAYS_SAID} {_PUBLICATIONS} {_KEYWORDS} {_MONTHS}".split())


@lru_cache(maxsize=1)
def read_name_words() -> Mapping[str, str]:
    """English words that make bad topic names: "general" never, "weak" rarely, "unfinished" words not at the
    end of a name.

    Learned from titles and abstracts of all fields by `portico.lab.training.name_words`.
    """
    rows = files("portico.text").joinpath("name_words.tsv").read_text(encoding="utf-8").splitlines()
    return MappingProxyType(dict(row.split("\t") for row in rows))


def guess_language(found: Iterable[str]) -> str:
    """The language with the most function words among these lower-case words; "en" if there are none."""
    counts = dict.fromkeys(FUNCTION_WORDS, 0)
    for token in found:
        for language in _LANGUAGES_OF.get(token, ()):
            counts[language] += 1
    return max(counts, key=lambda language: (counts[language], language == "en"))
