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
  /** Whether the language is written without spaces, so that words have no boundaries. */
  readonly isUnspaced?: boolean
  readonly phrases: readonly DamagePhrase[]
}

/** What makes "wear" damage rather than clothes: "shows wear", "edge wear", but not "summer wear". */
const wearing =
  'shows?|showing|has|with|signs? of|some|light|buckle|minor|slight|small|little|minimal|moderate|normal|general|typical|usual|heavy|significant|excessive|extensive|visible|noticeable|obvious|cosmetic|surface|edge|corner|cover|spine|shelf|heel|sole|finish|storage|handling|holster|ring|tread'
const chips =
  'm\\d+|a\\d+|[hw]\\d|cpu|gpu|silicon|apple|intel|amd|nvidia|qualcomm|nfc|rfid|sim|emv|bionic|sound|memory|neural|security|tpm|bios|eprom|flash|graphics|audio|video|dsp|ic|potato|poker|clay|casino|chocolate|wood|corn|blue|mr|tuning|performance|power|processor|led|computer|ink|toner|cartridge|cat|dog|pet|hickory|oak|smoking|disney'
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
          'cards?|pads?|plates?|posts?|maps?|awls?|brush|brushes|tickets?|art|paper|off|protection|protectors?|guards?|fillers?|build|built|made|and sniff|& sniff|n sniff|repair',
      },
      { words: 'scratched|scuffs|scuffed|scuffing' },
      { words: 'scuff', unlessBefore: 'slippers?|pads?|sanders?' },
      {
        words: 'dent|dents|dented',
        unlessAfter: 'harvey|arthur',
        unlessBefore: 'pullers?|lifters?|tools?|repair',
      },
      { words: 'ding|dings|dinged', unlessBefore: 'dong|ding|pullers?|repair' },
      {
        words: 'crack|cracks|cracked',
        unlessAfter: 'anti',
        unlessBefore: 'open|fillers?|sealer|ice|magazines?|heels?|feet|lips|skin|pepper|wheat|the code',
      },
      {
        words: 'chip|chips',
        unlessAfter: chips,
        unlessBefore:
          'set|sets|card|cards|reader|clip|key|bag|bags|resistor|programmer|tuning|tuned|board|capacitor|music|ic|inside|cookies?|ahoy|carving|fork|pan|scanner|shop|tray|and dale|& dale|n dale|foose|ganassi',
      },
      { words: 'chipped|chipping' },
      {
        words: 'damage|damages|damaged',
        unlessAfter: 'battle|brain|collateral',
        unlessBefore: 'waiver|protection|control|inc|hair|skin|nails?|goods|done|report',
      },
      {
        words: '(?:with|has|some|minor|small|slight|light|cosmetic) (?:defects?|flaws?|imperfections?)',
        unlessBefore: 'detection|detectors?|guarantee|warranty|insurance',
      },
      { words: 'blemish|blemishes|blemished', unlessBefore: 'balm|control|cream|gel|serum|treatment' },
      {
        words: `(?:${wearing}) wear|wear (?:and|&|n) tear|wear (?:on|to the|around|along|through|throughout|marks?|spots?|visible|consistent|commensurate|shown|present)`,
        unlessBefore: 'os|resistant|proof|resistance|plates?|sensors?',
      },
      {
        words: 'worn',
        unlessAfter: 'be|game|match|player|race|screen|stage|event|team|tour',
        unlessBefore: 'by|look|once|twice|as',
      },
      {
        words: 'creas(?:ed?|es|ing)',
        unlessAfter: 'anti|permanent|sharp|sta press',
        unlessBefore: 'protectors?|guards?|shields?|preventers?',
      },
      // "Torn" alone is a song; jeans are sold ripped, and glass stained.
      {
        words:
          'torn (?:back|box|corner|cover|dust ?jacket|label|lining|pages?|seams?|seat|sleeve|spine)|(?:back|box|corner|cover|dust ?jacket|label|lining|pages?|seams?|seat|sleeve|spine) (?:is )?torn',
      },
      {
        words:
          '(?:small|minor|slight|tiny|large|some|few) (?:rips?|tears?|stains?)|(?:rips?|tears?|stains?) (?:on|in) (?:the )?(?:back|bottom|collar|corner|cover|cuffs?|front|leather|lining|page|seat|side|sleeves?|spine)',
        unlessBefore: 'drops?|shaped|removers?',
      },
      {
        words:
          'moth holes?|yellowed|warped|water stained|rust spots|sole separation|(?:bent|peeling) (?:axle|corners?|finish|fork|frame|leather|paint|pins?)|lines on (?:the )?screen',
        unlessBefore: 'tour|records',
      },
      {
        words: 'fung(?:us|i)|(?:some|light|slight|internal) haze|haze inside',
        unlessAfter: 'foot|nail|toe|toenail|skin',
        unlessBefore: 'cream|cure|drops|pen|remover|spray|the bogeyman|treatment',
      },
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
        unlessAfter: 'not|bin|box|cabinet|case|container|organi[sz]er|rack|tray|tub',
        unlessBefore: 'compatible|cleaning|storage',
      },
      {
        words:
          '(?:not|non) (?:working|functioning|functional|responding|responsive)|not (?:charging|cooling|heating|powering on|reading|running|spinning|starting|turning on)|sold as seen|inoperable|inoperative|untested',
      },
    ],
  },
  {
    name: 'redirect',
    canBeDenied: false,
    phrases: [
      { words: '(?:see|read) (?:the )?(?:full )?(?:item )?(?:description|desc|listing)' },
      { words: 'see (?:the )?(?:photos?|pics?|pictures?|images?) for' },
      // "READ" alone only where punctuation stresses it: books are read, too.
      { words: String.raw`(?:please|pls|plz) read|(?<=[*([]\s?)read|read(?=\s?[*)\]]|\s?!!)` },
    ],
  },
  {
    name: 'functional',
    canBeDenied: true,
    phrases: [
      { words: 'issues? with|problems? with' },
      { words: 'faulty|defective', unlessBefore: 'towers' },
      { words: 'dead pixels?|(?:image|lcd|oled|screen) burn(?: in)?' },
      {
        words: '(?:icloud|activation|google|frp|mdm|bios) lock(?:ed)?|blacklisted|bad (?:imei|esn|lcd|screen|battery)',
      },
      {
        words:
          '(?:smashed|shattered) (?:back|display|glass|lcd|lens|screen)|(?:back|display|glass|lcd|lens|screen) (?:is )?(?:smashed|shattered)',
      },
      // Titles of works and places, and boots that are broken in.
      {
        words: 'broken(?: (?:screen|hinge|port|glass|display|lcd|button|keys?|case|lens|charging port))?',
        unlessAfter: 'replacement for',
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
          "stopped working|(?:doesn['’]?t|does not) (?:work|start|turn on|boot|charge|function|respond|power (?:on|up))|dead on arrival|(?:won['’]?t|will not) (?:start|work|turn on|boot|charge|power (?:on|up))",
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
      {
        words:
          'needs? (?:a |some )?(?:repairs?|repairing|restoration|service|servicing|work|tlc|fixing|new (?:screen|battery))',
      },
      { words: 'for repair', unlessAfter: 'kit|stand|tools?', unlessBefore: 'of' },
      { words: 'project (?:unit|item|laptop|phone|car|bike|piece)' },
    ],
  },
  {
    name: 'German',
    canBeDenied: true,
    phrases: [
      {
        words:
          'kratzer|kratzern|verkratzt|delle|dellen|beschädigt|beschädigung|beschädigungen|gebrauchsspuren|riss|risse|glaspilz|pilzbefall|eselsohren|(?:mit|kleine[ns]?|einige) l[öo](?:chern|cher|ch)|pixelfehler|displayschaden|glasbruch|glasschaden|wasserschaden|mit (?:fehlern?|m[äa]ngeln?|defekten?)|(?:kleine|leichte|geringe) m[äa]ngel',
      },
      {
        words:
          'defekt|defekte|defekter|defektes|kaputt|kaputte[rs]?|gesprungen|displaybruch|motorschaden|getriebeschaden|bastler|bastlergerät|ersatzteilspender|als ersatzteil|nur ersatzteile|ohne funktion|(?:funktioniert|lädt|läuft|startet) nicht|geht nicht an|ungeprüft|ungetestet',
      },
    ],
  },
  {
    name: 'French',
    canBeDenied: true,
    phrases: [
      { words: 'rayures?|rayée?s?', unlessAfter: `à|${frenchClothes}` },
      {
        words:
          "fissures?|fissur[eé]e?s?|endommag[eé]e?s?|avec (?:un |des |petits? )?d[eé]fauts?|ab[îi]m[eé]e?s?|traces? d[’']usure|cassée?s?|d[eé]chir[eé]e?s?|trouée?s?|usée?s?|champignons? (?:dans|sur)|avec champignons?",
      },
      { words: 'pi[eè]ces uniquement', unlessAfter: '\\d+' },
      // Titles in capitals often omit the accents.
      {
        words:
          "pour pi[eè]ces(?: d[eé]tach[eé]es)?|pi[eè]ces d[eé]tach[eé]es uniquement|ne (?:fonctionne|marche|d[eé]marre) (?:pas|plus)|ne s[’']allume (?:pas|plus)|hors service|en panne|en l[’'][eé]tat|[aà] r[eé]parer|(?:[eé]cran|batterie|moteur|dalle|lecteur|carte m[eè]re|alimentation|wifi|disque dur) hs|hs pour pi[eè]ces",
      },
    ],
  },
  {
    name: 'Italian',
    canBeDenied: true,
    phrases: [
      {
        words:
          'graffi|graffio|graffiat[oaie]|rotto|ammaccat[oaie]|danneggiat[oaie]|crepat[oaie]|rovinat[oaie]|usurat[oaie]|da sostituire|guast[oaie]|difettos[oaie]|difettat[oaie]|con (?:piccol[oi] )?difett[oi]|non funzionante|non funziona|non si accende|(?:per|solo) ricambi|per parti di ricambio|da riparare',
      },
    ],
  },
  {
    name: 'Spanish',
    canBeDenied: true,
    phrases: [
      {
        words:
          'rasguños?|arañazos?|dañad[oa]s?|agrietad[oa]s?|averiad[oa]s?|defectuos[oa]s?|con (?:defectos?|taras?)|no (?:funciona|enciende)|para (?:piezas|repuestos?|desguace|despiece)|solo (?:para )?piezas|para (?:reparar|arreglar)|estropead[oa]s?|con agujeros?|(?:pantalla|cristal|tapa) rot[oa]',
      },
      { words: 'rayad[oa]s?', unlessAfter: spanishClothes },
    ],
  },
  {
    name: 'Dutch',
    canBeDenied: true,
    phrases: [
      {
        words:
          'krassen|bekrast|deuken?|gedeukt|beschadigde?|beschadiging(?:en)?|gebarsten|gebruikssporen|kapotte?|kapot|defecte?|werkt niet|niet werkend|(?:voor|alleen) onderdelen|ter reparatie',
      },
    ],
  },
  {
    name: 'Polish',
    canBeDenied: true,
    phrases: [
      {
        words:
          'rysy|rysami|porysowan[yae]|pęknięt[yae]|pęknięcia|wgniecenia?|uszkodzon[yae]|uszkodzenia?|zepsut[yae]|niesprawn[yae]|nie działa|(?:na|tylko) części|do naprawy',
      },
    ],
  },
  {
    name: 'Russian',
    canBeDenied: true,
    phrases: [
      {
        words:
          'царапин[аы]|(?:с|есть|мелкие) царапинами?|поцарапан(?:а|о|ы|ный|ная|ное)?|пот[её]рт(?:ый|ая|ое|ости)|вмятин[аы]|скол(?:ы|ами)?|трещин[аы]|с трещиной|треснут(?:ый|ая|ое)|разбит(?:а|о|ы|ый|ая|ое)?|поврежд[её]н(?:а|о|ы|ный|ная|ное)?|с (?:дефект(?:ом|ами)|повреждениями)',
      },
      {
        words:
          'на (?:запчасти|детали)|для (?:запчастей|разборки)|под восстановление|не ?работа(?:ет|ют|ющий|ющая|ющее)|не ?рабоч(?:ий|ая|ее)|не ?исправ(?:ен|на|но|ный|ная|ное)|не (?:включается|заряжается|проверен[ао]?)|сломан(?:а|о|ы|ный|ная|ное)?|бракованн(?:ый|ая|ое)|(?:требует|нужен|под) ремонта?|неисправность',
      },
    ],
  },
  {
    name: 'Japanese',
    canBeDenied: false,
    isUnspaced: true,
    phrases: [
      {
        words:
          'ジャンク(?!ション|フード)|部品取り|不動品|(?<!无|無|没有|沒有|零)故障(?!な|無|は|し(?:に|ません)|码|碼|排除|诊断|診斷|診断)|動作不良|動作未確認|通電(?:のみ|不可)|電源(?:が)?入(?:らず|りません|らない)|要修理|破損|割れ(?:あり|有り)|ひび(?:割れ|あり|有り)|[傷キズ]+(?:あり|有り|だらけ)|難(?:あり|有り)|訳(?:あり|有り)|凹み(?:あり|有り)|カビ(?:あり|有り)',
      },
    ],
  },
  {
    name: 'Chinese',
    canBeDenied: false,
    isUnspaced: true,
    phrases: [
      {
        words:
          '(?<!无|無|没有|沒有|零|防|抗|耐|除)(?:划痕|刮痕|裂痕|裂纹|裂紋|瑕疵|破损|破損|损坏|損壞)(?!修)|零件[机機]|料[机機]|(?:仅|僅|用)[供作当當]?(?:作|做)?零件|不(?:能|可)(?:开机|開機|工作|使用)|[无無]法(?:开机|開機|工作|使用|运行|運行)|(?:已|坏|壞)[坏壞]|[坏壞](?:了|机|機|屏)|需(?:要)?[维維][修]|待修|报废|報廢|未测试|未測試',
      },
    ],
  },
  {
    name: 'Korean',
    canBeDenied: false,
    isUnspaced: true,
    phrases: [
      {
        words:
          '부품용|고장(?!\\s?(?:없|안|률))|작동 ?(?:안|불가|하지 않)|파손|(?:수리|정비) ?(?:필요|요망)|불량품|(?:흠집|스크래치|하자|찍힘) ?(?:있|많)|전원 ?(?:안|불량)',
      },
    ],
  },
]

/**
 * Words before damage that the item prevents or removes: "anti-scratch", "protects against scratches", "removes light scratches".
 */
export const preventions =
  'anti|against|protects? from|prevents?|removes?|removing|hides?|resists|resistant to|gegen|vor|contre(?: les)?|résistante? aux?|efface|contro(?: i)?|contra(?: los)?|tegen'

/** Words that deny the words after them: "no", "without any", "free of". */
export const denials =
  "no|zero|(?<![.,])0|without|w/o|free (?:of|from)|never|nor|neither|none|(?:does not|doesn['’]?t|do not|don['’]?t) have|ohne|keine?|keinerlei|sans|aucune?|pas d[e’']|senza|nessun[oa]?|sin|ningún|ninguna|geen|zonder|bez|brak|без|нет|никаких"

/** Words allowed between a denial and the damage that it denies: "no visible scratches or major dents", "no rips, stains or cracks". */
export const betweenDenialAndDamage =
  'any|major|minor|visible|noticeable|significant|deep|obvious|real|other|big|bad|small|tiny|large|cosmetic|physical|functional|known|screen|dead pixels?|rips?|tears?|stains?|holes?|bends?|rust|breaks?|yellowing|fading|haze|dust|dropped|been|signs?|marks?|of|or|and|nor|a|an|single|the|light|sichtbaren?|größeren?|kleinen?|oder|und|ni|et|e|o|y|en|i|zichtbare|widocznych|видимых|и|или'

/** Denials that apply only to the next word, and those joined with it: "not scratched", "never been damaged", "not cracked or dented". */
export const shortDenials = "not|isn['’]?t|aren['’]?t|wasn['’]?t|never been|non|un|nicht|pas|niet|nie|не"

/** Words that join damage with the damage that a short denial denies. */
export const joinsDenied = 'or|nor|and|a|been|oder|und|ni|et|e|o|y|en|i|и|или'

/** Suffixes that turn a damage word into its opposite: "scratch-free". */
export const oppositeSuffixes = 'free|less|frei|proof|resistant'

/** Products against the damage that is named before them, alone or with more: "scratch remover", "scratch and dent repair kit". */
export const remedies =
  '(?:(?:and|&|n) )?(?:(?:swirls?|stains?|scratch|scratches|scuffs?|dents?|dings?|chips?|cracks?) )?(?:removers?|removal|erasers?|entferner|politur|schutz|reparatur (?:kit|paste|set|stift)|repair(?:ing)? (?:compound|cream|glue|kits?|mask|paste|pens?|polish|polishing|putty|sets?|shampoo|tape|tools?|wax))'

/** Answers that deny damage, after a colon or a question mark: "Scratches: none", "Damage? No". No word follows the shorter ones. */
export const denyingAnswers =
  '(?:none|keine?|aucune?|nessun[oa]|ningun[oa]|geen|brak)(?!\\p{L})|(?:no|nein|non|nee|nie)(?=\\s*(?:[^\\p{L}\\s]|$))'
