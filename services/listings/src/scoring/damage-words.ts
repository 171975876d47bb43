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
  "men'?s|women'?s|ladies|kids?|baby|children'?s|swim|sports?|active|street|foot|under|night|eye|formal|work|casual|ski|golf|dance|to|lounge|outdoor"
const chips =
  'm\\d+|a\\d+|[hw]\\d|cpu|gpu|silicon|apple|intel|amd|nvidia|qualcomm|nfc|rfid|sim|emv|bionic|sound|memory|neural|security|tpm|bios|eprom|flash|graphics|audio|video|dsp|ic|potato|poker|corn|blue|tuning|performance|power|processor'

export const damageFamilies: readonly DamageFamily[] = [
  {
    name: 'cosmetic',
    canBeDenied: true,
    phrases: [
      {
        words: 'scratch|scratches',
        unlessAfter: 'from|cat|anti',
        unlessBefore:
          'card|cards|pad|post|off|build|built|proof|resistant|made|and sniff|protection|guard|remover|repair',
      },
      { words: 'scratched|scuff|scuffs|scuffed|scuffing' },
      { words: 'dent|dents|dented', unlessBefore: 'puller|repair|removal|remover|resistant|proof' },
      { words: 'ding|dings|dinged', unlessBefore: 'dong|ding' },
      { words: 'crack|cracks|cracked', unlessBefore: 'open|filler|sealer|resistant|proof' },
      {
        words: 'chip|chips',
        unlessAfter: chips,
        unlessBefore:
          'set|sets|card|cards|reader|clip|key|bag|bags|resistor|programmer|tuning|tuned|board|capacitor|music|ic|inside',
      },
      { words: 'chipped|chipping' },
      { words: 'damage|damages|damaged', unlessBefore: 'waiver|protection|resistant|proof' },
      { words: 'blemish|blemishes|blemished' },
      { words: 'wear', unlessAfter: garments, unlessBefore: 'os|resistant|proof|resistance' },
      { words: 'worn', unlessAfter: 'game|match|player|race|screen|stage' },
    ],
  },
  {
    name: 'catch-all',
    canBeDenied: false,
    phrases: [
      { words: 'as is' },
      {
        words:
          'for parts|parts only|for spares|spares or repairs?|spares repairs?|parts or repairs?|parts repairs?|spares and repairs?',
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
      { words: 'faulty|defective' },
      { words: 'broken (?:screen|hinge|port|glass|display|lcd|button|key|keys|case|lens|charging port)' },
    ],
  },
  {
    name: 'out of order',
    canBeDenied: false,
    phrases: [
      {
        words:
          "stopped working|(?:doesn['’]?t|does not) (?:work|turn on|boot|charge|power on)|dead on arrival|won['’]?t (?:turn on|boot|charge|power on)|will not (?:turn on|boot|charge|power on)",
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
          'defekt|defekte|defekter|defektes|bastler|bastlergerät|ersatzteilspender|als ersatzteil|ohne funktion|funktioniert nicht|geht nicht an',
      },
    ],
  },
  {
    name: 'French',
    canBeDenied: true,
    phrases: [
      { words: "rayures?|rayée?s?|fissures?|fissurée?s?|endommagée?s?|abîmée?s?|traces? d[’']usure|cassée?s?" },
      { words: "pour pièces(?: détachées)?|ne fonctionne pas|hors service|en panne|en l[’']état|à réparer" },
    ],
  },
  {
    name: 'Italian',
    canBeDenied: true,
    phrases: [
      {
        words:
          'graffi|graffiat[oaie]|ammaccat[oaie]|danneggiat[oaie]|crepat[oaie]|guast[oaie]|difettos[oaie]|non funzionante|non funziona|per ricambi|per parti di ricambio|da riparare',
      },
    ],
  },
  {
    name: 'Spanish',
    canBeDenied: true,
    phrases: [
      {
        words:
          'rasguños?|rayad[oa]s?|arañazos?|dañad[oa]s?|agrietad[oa]s?|averiad[oa]s?|defectuos[oa]s?|no funciona|para (?:piezas|repuestos?|desguace)|para reparar',
      },
    ],
  },
]

/** Words that deny the words after them: "no", "without any", "free of". */
export const denials =
  'no|zero|without|w/o|free (?:of|from)|never|nor|neither|none|ohne|keine?|keinerlei|sans|aucune?|senza|nessun[oa]?|sin|ningún|ninguna'

/** Words allowed between a denial and the damage that it denies: "no visible scratches or major dents". */
export const betweenDenialAndDamage =
  'any|major|minor|visible|noticeable|significant|deep|obvious|real|other|big|bad|small|tiny|large|cosmetic|physical|functional|screen|signs?|marks?|of|or|and|nor|a|an|single|the|sichtbaren?|größeren?|kleinen?|oder|und|ni|et|e|o|y'

/** Denials that apply only to the next word: "not scratched", "never been damaged". */
export const shortDenials = "not|isn['’]?t|aren['’]?t|wasn['’]?t|never been|non|un|nicht|pas"

/** Suffixes that turn a damage word into its opposite: "scratch-free". */
export const oppositeSuffixes = 'free|less|frei|proof|resistant'
