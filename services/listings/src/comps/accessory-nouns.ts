import { plainText } from './title-atoms.ts'
import { wordSet } from './unrelated-words.ts'

/**
 * Nouns of accessories and parts, by language. Their position in a title shows whether it offers one ("iPhone 14 case") or mentions it; whole things
 * are advertised by their parts, too ("touch screen"), so the price decides. Words that commonly name a thing in their own right are
 * left out, such as the German "Glas" and the French "carte".
 */
type NounsOfLanguage = {
  readonly language: string
  readonly nouns: string
  /** Whether a noun may precede what it is for without a preposition: "Coque iPhone 14", "Hülle iPhone 14", but hardly "Case black iPhone 14". */
  readonly precedes: boolean
  /** Whether words are written together, so that the last one is the head of the compound: "Silikonhülle". */
  readonly compounds: boolean
}

const nounsByLanguage: readonly NounsOfLanguage[] = [
  {
    language: 'English',
    nouns:
      'case|cases|cap|caps|hood|fan|fans|heatsink|backplate|hinge|bezel|housing|cover|covers|skin|skins|sleeve|pouch|holster|charger|chargers|cable|cables|cord|dock|stand|mount|holder|strap|straps|band|bands|bag|battery|batteries|keyboard|screen|adapter|adapters|protector|protectors|docking|waterblock|waterblocks',
    precedes: false,
    compounds: false,
  },
  {
    language: 'German',
    nouns:
      'hülle|hüllen|huelle|huellen|etui|tasche|taschen|folie|folien|ladegerät|ladegeraet|ladegeräte|ladestation|kabel|netzteil|netzteile|akku|akkus|armband|armbänder|halterung|halterungen|gehäuse|gehaeuse|deckel|schale|display|bildschirm|tastatur|lüfter|scharnier|rahmen|fernbedienung|dockingstation|dockingstationen',
    precedes: true,
    compounds: true,
  },
  {
    language: 'Dutch',
    nouns:
      'hoes|hoesje|hoesjes|oplader|opladers|kabel|kabels|batterij|accu|scherm|toetsenbord|houder|horlogeband|afstandsbediening|deksel|behuizing',
    precedes: true,
    compounds: true,
  },
  {
    language: 'French',
    nouns:
      'coque|coques|étui|étuis|housse|housses|pochette|sacoche|chargeur|chargeurs|câble|câbles|batterie|batteries|écran|vitre|clavier|châssis|manette|manettes|télécommande|bouchon|capuchon|adaptateur|alimentation|boîtier|connecteur|nappe|dalle|ventilateur|charnière|filtre|filtres|courroie|tuyau|durite|capteur|poignée',
    precedes: true,
    compounds: false,
  },
  {
    language: 'Italian',
    nouns:
      'custodia|custodie|cover|pellicola|pellicole|caricatore|caricabatterie|caricabatteria|alimentatore|cavo|cavi|batteria|batterie|schermo|display|tastiera|ventola|cerniera|cinturino|cinturini|borsa|telecomando|tappo|paraluce|coperchio|scocca|telaio|chassis|ricambio|ricambi|filtro|filtri|guarnizione|tubo|sensore|maniglia',
    precedes: true,
    compounds: false,
  },
  {
    language: 'Spanish',
    nouns:
      'funda|fundas|carcasa|carcasas|cargador|cargadores|cable|cables|batería|baterías|pantalla|pantallas|teclado|ventilador|bisagra|correa|correas|soporte|soportes|protector|protectores|mando|mandos|bolsa|tapa|tapas|adaptador|repuesto|repuestos|recambio|recambios|filtro|filtros|junta|tubo|manilla|chasis',
    precedes: true,
    compounds: false,
  },
  {
    language: 'Portuguese',
    nouns:
      'capa|capas|capinha|película|películas|carregador|carregadores|cabo|cabos|bateria|ecrã|teclado|suporte|pulseira|pulseiras|bolsa|tampa|adaptador|peça|peças|filtro|filtros',
    precedes: true,
    compounds: false,
  },
  {
    language: 'Polish',
    nouns:
      'etui|pokrowiec|pokrowce|futerał|szkło|folia|ładowarka|kabel|bateria|akumulator|wyświetlacz|ekran|obudowa|klapka|korpus|uchwyt|pasek|zasilacz|klawiatura|ramka|taśma|głośnik|szyba|pudełko',
    precedes: true,
    compounds: false,
  },
  {
    language: 'Czech',
    nouns: 'obal|obaly|kryt|kryty|pouzdro|puzdro|nabíječka|kabel|baterie|displej|klávesnice|držák|řemínek|fólie',
    precedes: true,
    compounds: false,
  },
  {
    language: 'Swedish',
    nouns: 'skal|fodral|laddare|batteri|skärm|skärmskydd|tangentbord|hållare|fjärrkontroll|kabel',
    precedes: true,
    compounds: true,
  },
  {
    language: 'Danish',
    nouns: 'cover|etui|oplader|batteri|skærm|tastatur|fjernbetjening|kabel',
    precedes: true,
    compounds: false,
  },
]

const nounsOf = (rows: readonly NounsOfLanguage[]): ReadonlySet<string> =>
  new Set(rows.flatMap(({ nouns }) => [...wordSet(plainText(nouns))]))

const all = nounsOf(nounsByLanguage)
const preceding = nounsOf(nounsByLanguage.filter(({ precedes }) => precedes))

/** Shortest noun that is recognized at the end of a compound: the Dutch "hoes" also ends "snowshoes". */
const shortestHead = 5
const heads = [...nounsOf(nounsByLanguage.filter(({ compounds }) => compounds))].filter(
  (noun) => noun.length >= shortestHead,
)
const compound = new RegExp(`^\\p{L}{2,}(?:${heads.join('|')})$`, 'u')

/** Whether an atom of a title names an accessory or a part. */
export const isAccessoryNoun = (atom: string): boolean => all.has(atom) || compound.test(atom)

/** Whether an atom that names an accessory may stand before what it is for, with other words between them. */
export const mayPrecede = (atom: string): boolean => preceding.has(atom) || compound.test(atom)
