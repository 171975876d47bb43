/**
 * Damage wording as data. Phrases match whole words, regardless of letter case and of the separators between their words
 * (spaces or hyphens). `unlessAfter` and `unlessBefore` list neighbours that change a word's meaning.
 */
export type DamagePhrase = {
  readonly words: string
  readonly unlessAfter?: string
  readonly unlessBefore?: string
}

export type DamageFamily = {
  readonly name: string
  readonly canBeDenied: boolean
  readonly phrases: readonly DamagePhrase[]
}

const garments =
  "men'?s|women'?s|ladies|kids?|baby|children'?s|swim|sports?|active|street|foot|under|night|eye|formal|work|casual|ski|golf|dance|to|lounge|outdoor|evening|bridal|maternity|compression|head|sleep|rain|school"
const chips =
  'm\\d+|a\\d+|[hw]\\d|cpu|gpu|silicon|apple|intel|amd|nvidia|qualcomm|nfc|rfid|sim|emv|bionic|sound|memory|neural|security|tpm|bios|eprom|flash|graphics|audio|video|dsp|ic|potato|poker|clay|casino|chocolate|wood|corn|blue|mr|tuning|performance|power|processor'
/** Clothes that these words call striped, not scratched. */
const frenchClothes =
  'pull|t-shirt|tee-shirt|chemise|chemisier|marinière|robe|jupe|maillot|polo|top|cravate|tissu|motif|imprimé'
const spanishClothes = 'camiseta|camisa|blusa|falda|vestido|polo|corbata|tela|suéter'

export const damageFamilies: readonly DamageFamily[] = [
  {
    name: 'cosmetic',
    canBeDenied: true,
    phrases: [
      {
        words: 'scratch|scratches',
        unlessAfter: 'from|cat|anti|lee|dj',
        unlessBefore:
          'card|cards|pad|post|off|build|built|proof|resistant|made|and sniff|& sniff|n sniff|protection|guard|remover|repair',
      },
      { words: 'scratched|scuffs|scuffed|scuffing' },
      { words: 'scuff', unlessBefore: 'slippers?|proof|resistant' },
      {
        words: 'dent|dents|dented',
        unlessAfter: 'harvey|arthur',
        unlessBefore: 'puller|repair|removal|remover|resistant|proof',
      },
      { words: 'ding|dings|dinged', unlessBefore: 'dong|ding|puller|repair|removal|remover' },
      {
        words: 'crack|cracks|cracked',
        unlessAfter: 'anti',
        unlessBefore: 'open|filler|sealer|resistant|proof|ice|magazines?',
      },
      {
        words: 'chip|chips',
        unlessAfter: chips,
        unlessBefore:
          'set|sets|card|cards|reader|clip|key|bag|bags|resistor|programmer|tuning|tuned|board|capacitor|music|ic|inside|cookies?|ahoy|and dale|& dale|n dale|foose|ganassi',
      },
      { words: 'chipped|chipping' },
      {
        words: 'damage|damages|damaged',
        unlessAfter: 'brain|collateral',
        unlessBefore: 'waiver|protection|resistant|proof|control|inc',
      },
      { words: 'blemish|blemishes|blemished' },
      { words: 'wear', unlessAfter: garments, unlessBefore: 'os|resistant|proof|resistance' },
      { words: 'worn', unlessAfter: 'game|match|player|race|screen|stage|event|team|tour', unlessBefore: 'by|look' },
    ],
  },
  {
    name: 'catch-all',
    canBeDenied: false,
    phrases: [
      { words: 'as is' },
      {
        words:
          'for parts|parts only|for spares|spares only|spares (?:or|and|&) repairs?|spares repairs?|parts (?:or|and|&) repairs?|parts repairs?',
        unlessAfter: 'not',
      },
      { words: 'not working|non working|untested and as is' },
    ],
  },
  {
    name: 'redirect',
    canBeDenied: false,
    phrases: [
      { words: '(?:see|read) (?:the )?(?:full )?(?:item )?(?:description|desc|listing)' },
      { words: 'see (?:the )?(?:photos?|pics?|pictures?|images?) for' },
    ],
  },
  {
    name: 'functional',
    canBeDenied: true,
    phrases: [
      { words: 'issues? with|problems? with' },
      { words: 'faulty|defective', unlessBefore: 'towers' },
      // Titles of works and places, and boots that are broken in.
      {
        words: 'broken(?: (?:screen|hinge|port|glass|display|lcd|button|keys?|case|lens|charging port))?',
        unlessBefore: 'arrow|bells|bow|dreams?|english|flowers|hearts?|hill|in|lizard|road|social|sword|wings?',
      },
    ],
  },
  {
    name: 'out of order',
    canBeDenied: false,
    phrases: [
      {
        words:
          "stopped working|(?:doesn['’]?t|does not) (?:work|start|turn on|boot|charge|power on)|dead on arrival|(?:won['’]?t|will not) (?:start|turn on|boot|charge|power on)",
      },
      // "No power cord" is about what comes with the item.
      {
        words: 'no power',
        unlessBefore:
          'adapters?|adaptors?|bricks?|cables?|chargers?|connectors?|cords?|leads?|packs?|plugs?|suppl(?:y|ies)|units?|wires?',
      },
      { words: '(?:powers|turns) on but|boots but' },
    ],
  },
  {
    name: 'repair',
    canBeDenied: false,
    phrases: [
      { words: 'needs? (?:a )?(?:repairs?|work|tlc|fixing|new (?:screen|battery))' },
      { words: 'for repair' },
      { words: 'project (?:unit|item|laptop|phone|car|bike|piece)' },
    ],
  },
  {
    name: 'German',
    canBeDenied: true,
    phrases: [
      {
        words:
          'kratzer|kratzern|verkratzt|delle|dellen|beschädigt|beschädigung|beschädigungen|gebrauchsspuren|riss|risse',
      },
      {
        words:
          'defekt|defekte|defekter|defektes|kaputt|kaputte[rs]?|gesprungen|displaybruch|bastler|bastlergerät|ersatzteilspender|als ersatzteil|ohne funktion|funktioniert nicht|geht nicht an',
      },
    ],
  },
  {
    name: 'French',
    canBeDenied: true,
    phrases: [
      { words: 'rayures?|rayée?s?', unlessAfter: `à|${frenchClothes}` },
      { words: "fissures?|fissurée?s?|endommagée?s?|ab[îi]mée?s?|traces? d[’']usure|cassée?s?" },
      { words: "pour pièces(?: détachées)?|ne (?:fonctionne|marche) pas|hors service|en panne|en l[’']état|à réparer" },
    ],
  },
  {
    name: 'Italian',
    canBeDenied: true,
    phrases: [
      {
        words:
          'graffi|graffio|graffiat[oaie]|rotto|ammaccat[oaie]|danneggiat[oaie]|crepat[oaie]|guast[oaie]|difettos[oaie]|non funzionante|non funziona|per ricambi|per parti di ricambio|da riparare',
      },
    ],
  },
  {
    name: 'Spanish',
    canBeDenied: true,
    phrases: [
      {
        words:
          'rasguños?|arañazos?|dañad[oa]s?|agrietad[oa]s?|averiad[oa]s?|defectuos[oa]s?|no funciona|para (?:piezas|repuestos?|desguace)|para reparar|(?:pantalla|cristal|tapa) rot[oa]',
      },
      { words: 'rayad[oa]s?', unlessAfter: spanishClothes },
    ],
  },
]

/** Words that deny the words after them: "no", "without any", "free of". */
export const denials =
  "no|zero|(?<![.,])0|without|w/o|free (?:of|from)|never|nor|neither|none|(?:does not|doesn['’]?t|do not|don['’]?t) have|ohne|keine?|keinerlei|sans|aucune?|pas d[e’']|senza|nessun[oa]?|sin|ningún|ninguna"

/** Words allowed between a denial and the damage that it denies: "no visible scratches or major dents", "no rips, stains or cracks". */
export const betweenDenialAndDamage =
  'any|major|minor|visible|noticeable|significant|deep|obvious|real|other|big|bad|small|tiny|large|cosmetic|physical|functional|known|screen|dead pixels?|rips?|tears?|stains?|holes?|bends?|rust|breaks?|yellowing|fading|dropped|been|signs?|marks?|of|or|and|nor|a|an|single|the|sichtbaren?|größeren?|kleinen?|oder|und|ni|et|e|o|y'

/** Denials that apply only to the next word, and those joined with it: "not scratched", "never been damaged", "not cracked or dented". */
export const shortDenials = "not|isn['’]?t|aren['’]?t|wasn['’]?t|never been|non|un|nicht|pas"

/** Words that join damage with the damage that a short denial denies. */
export const joinsDenied = 'or|nor|and|a|been|oder|und|ni|et|e|o|y'

/** Suffixes that turn a damage word into its opposite: "scratch-free". */
export const oppositeSuffixes = 'free|less|frei|proof|resistant'
/** Answers that deny damage, after a colon or a question mark: "Scratches: none", "Damage? No". No word follows the shorter ones. */
export const denyingAnswers =
  '(?:none|keine?|aucune?|nessun[oa]|ningun[oa]|geen|brak)(?!\\p{L})|(?:no|nein|non|nee|nie)(?=\\s*(?:[^\\p{L}\\s]|$))'
