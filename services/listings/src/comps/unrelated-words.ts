/**
 * Wordings of titles that offer something other than the queried item, as data. Phrases match whole words, regardless of
 * letter case and of separators. A family does not apply to a query that uses its words itself, such as one for a case.
 */
export type UnrelatedFamily = {
  readonly reason: 'accessory' | 'part' | 'incomplete' | 'other_thing'
  readonly language: string
  readonly words: string
}

/** The words of one of the tables below. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split('|'))

export const unrelatedFamilies: readonly UnrelatedFamily[] = [
  {
    reason: 'accessory',
    language: 'English',
    words:
      'screen protectors?|tempered glass|lens protectors?|charging cables?|ac adapters?|power adapters?|wall chargers?|car chargers?|(?:watch ?)?bands? for|straps? for|cases? for|covers? for|skins? for|sleeves? for|bags? for|chargers? for|cables? for|docks? for|stands? for|mounts? for|holders? for|grips? for|adapters? for|batter(?:y|ies) for|controllers? for|remotes? for|filters? for|lids? for|accessor(?:y|ies) for|phone cases?|stickers?|decals?|vinyl wraps?|keyboard covers?|lens hood for',
  },
  {
    reason: 'accessory',
    language: 'German',
    words:
      'h[uü]llen? f[uü]r|schutzh[uü]llen?|handyh[uü]llen?|tasche f[uü]r|taschen f[uü]r|panzerglas|schutzglas|displayschutz(?:folie)?|schutzfolien?|ladekabel|ladeger[aä]t f[uü]r|netzteil f[uü]r|akku f[uü]r|armband f[uü]r|halterung f[uü]r|st[aä]nder f[uü]r|zubeh[oö]r f[uü]r|kabel f[uü]r|aufkleber',
  },
  {
    reason: 'accessory',
    language: 'French',
    words:
      "coques? (?:pour|de protection)|[eé]tuis? (?:pour|de protection)|housses? (?:pour|de protection)|verre tremp[eé]|protections? d[’']?[eé]cran|chargeurs? pour|c[aâ]bles? pour|batteries? pour|bracelets? pour|supports? pour|accessoires? pour|autocollants?",
  },
  {
    reason: 'accessory',
    language: 'Italian',
    words:
      'custodi[ae] (?:per|protettiv[ae])|cover per|pellicol[ae] (?:per|protettiv[ae])|vetro temperato|caricatore per|caricabatterie per|cavo per|batteria per|cinturino per|supporto per|accessori per|adesiv[oi]',
  },
  {
    reason: 'accessory',
    language: 'Spanish',
    words:
      'fundas? (?:para|protectora)|carcasas? para|cristal templado|protector(?:es)? de pantalla|cargador(?:es)? para|cables? para|bater[ií]as? para|correas? para|soportes? para|accesorios? para|pegatinas?',
  },
  {
    reason: 'accessory',
    language: 'Dutch',
    words:
      'screenprotectors?|gehard glas|(?:hoes(?:jes?)?|oplader|kabel|accu|batterij|houder|bandje|adapter|accessoires?) voor',
  },
  {
    reason: 'accessory',
    language: 'Portuguese',
    words:
      'pel[ií]culas? (?:para|protetoras?|de vidro)|vidro temperado|(?:capas?|carregador(?:es)?|cabos?|bateria|pulseiras?|suportes?|acess[oó]rios?) para',
  },
  {
    reason: 'accessory',
    language: 'Polish',
    words:
      'szk[lł]o hartowane|folia ochronna|(?:etui|pokrowiec|[lł]adowarka|kabel|bateria|uchwyt|pasek|akcesoria) (?:do|na|dla)',
  },
  {
    reason: 'part',
    language: 'English',
    words:
      'motherboards?|main ?boards?|logic boards?|replacement (?:screens?|batter(?:y|ies)|parts?|lcd|glass|keyboards?|fans?|lens|housing|digitizers?)|(?:screen|display|battery|lcd|oled|keyboard|glass) replacement|camera (?:lens )?(?:glass|module)|charging ports?|sim ?(?:card )?trays?|(?:front|rear) (?:glass|housing)|power buttons?|taptic engine|lcd (?:assembly|display|screen)|(?:screen|display|lens) assembly|digitizers?|back glass|palm ?rests?|bezels? for|flex cables?|spare parts? for|repair parts?|donor',
  },
  {
    reason: 'part',
    language: 'German',
    words:
      'ersatzteile? f[uü]r|ersatz(?:display|akku|glas|bildschirm|l[uü]fter|tastatur)|display f[uü]r|bildschirm f[uü]r|hauptplatine|mainboard|l[uü]fter f[uü]r|geh[aä]use f[uü]r|tastatur f[uü]r',
  },
  {
    reason: 'part',
    language: 'French',
    words:
      'pi[eè]ces? (?:d[eé]tach[eé]es?|de rechange)|[eé]cran (?:lcd )?(?:pour|de remplacement)|carte m[eè]re|vitre arri[eè]re|clavier pour|ventilateur pour',
  },
  {
    reason: 'part',
    language: 'Italian',
    words: 'ricambi(?:o)? per|schermo per|display per|scheda madre|tastiera per|ventola per',
  },
  {
    reason: 'part',
    language: 'Spanish',
    words: 'repuestos? para|recambios? para|pantalla para|placa base|teclado para|ventilador para',
  },
  { reason: 'part', language: 'Dutch', words: 'moederbord|reserveonderdelen|(?:scherm|toetsenbord|ventilator) voor' },
  {
    reason: 'part',
    language: 'Portuguese',
    words: 'placa m[aã]e|pe[cç]as? (?:para|de substitui[cç][aã]o)|(?:ecr[aã]|tela|teclado) para',
  },
  {
    reason: 'part',
    language: 'Polish',
    words: 'p[lł]yta g[lł][oó]wna|cz[eę][sś]ci (?:do|zamienne)|(?:wy[sś]wietlacz|ekran|klawiatura) do',
  },
  {
    reason: 'incomplete',
    language: 'English',
    words:
      'empty (?:\\p{L}+ ){0,3}(?:box(?:es)?|packaging|cases?|bottles?|jars?|tins?)|(?:(?:left|right)(?: \\p{L}+){0,2}|box(?:es)?|packaging|manuals?|instructions?|cases?|shells?|housings?|covers?|discs?|cables?|chargers?|straps?|bezels?|dials?|lids?|remotes?|controllers?|dust ?bags?|papers?|booklets?|mini ?fig(?:ure)?s?|accessories|docks?|stands?|bands?|sleeves?|cart(?:ridge)?s?|dust ?jackets?|bottles?|frame ?(?:set)?s?|outfits?) only|only (?:the )?(?:box|packaging|manual)|no (?:phones?|consoles?|cameras?|laptops?|watch(?:es)?|tablets?|devices?|games?)(?: included| inside)?|(?:box|manual|packaging) for',
  },
  {
    reason: 'incomplete',
    language: 'German',
    words:
      'leer(?:e|er|es)? (?:ovp|karton|verpackung|box|schachtel|flakon|flasche|dose)|leer(?:karton|verpackung|flakon|flasche)|nur (?:die |der |das )?(?:ovp|karton|verpackung|h[uü]lle|anleitung|originalverpackung)|ohne (?:ger[aä]t|inhalt)',
  },
  {
    reason: 'incomplete',
    language: 'French',
    words:
      "bo[iî]te (?:vide|seule)|emballage (?:vide|seul)|(?:flacon|coffret) vide|bouteille vide|notice (?:seule|uniquement)|coque seule|sans (?:l[’']appareil|console|t[eé]l[eé]phone)",
  },
  {
    reason: 'incomplete',
    language: 'Italian',
    words:
      'scatola vuota|(?:bottiglia|boccetta) vuota|flacone vuoto|solo (?:la )?(?:scatola|confezione|custodia)|solo (?:il )?manuale|confezione vuota',
  },
  {
    reason: 'incomplete',
    language: 'Spanish',
    words:
      '(?:caja|botella) vac[ií]a|(?:frasco|bote) vac[ií]o|s[oó]lo (?:la )?(?:caja|funda|carcasa)|s[oó]lo (?:el )?manual|embalaje vac[ií]o',
  },
  {
    reason: 'incomplete',
    language: 'Dutch',
    words: 'lege (?:doos|verpakking)|alleen (?:de )?(?:doos|verpakking|hoes|handleiding)',
  },
  {
    reason: 'incomplete',
    language: 'Portuguese',
    words: 'caixa vazia|(?:s[oó]|apenas) (?:a )?(?:caixa|capa)|(?:s[oó]|apenas) (?:o )?manual',
  },
  {
    reason: 'incomplete',
    language: 'Polish',
    words: 'puste pude[lł]ko|pude[lł]ko po|sam(?:o|a) (?:pude[lł]ko|instrukcja)|tylko pude[lł]ko',
  },
  {
    reason: 'other_thing',
    language: 'English',
    words:
      'dummy|replicas?|fakes?|counterfeits?|prox(?:y|ies) cards?|orica|repro(?:duction)?s?|posters?|key ?chains?|figurines?|unlock(?:ing)? (?:codes?|service)|repair service|rental|e ?books?|gift cards?|wallpapers?',
  },
  {
    reason: 'other_thing',
    language: 'German',
    words: 'attrappe|reparaturservice|reparatur von|nachbildung|replik|f[aä]lschung',
  },
  { reason: 'other_thing', language: 'French', words: 'factice|service de r[eé]paration|r[eé]plique' },
  { reason: 'other_thing', language: 'Italian', words: 'fittizio|servizio di riparazione|replica' },
  { reason: 'other_thing', language: 'Spanish', words: 'r[eé]plica|servicio de reparaci[oó]n|maqueta' },
  { reason: 'other_thing', language: 'Dutch', words: 'namaak|reparatieservice' },
  { reason: 'other_thing', language: 'Portuguese', words: 'r[eé]plica|servi[cç]o de repara[cç][aã]o' },
  { reason: 'other_thing', language: 'Polish', words: 'atrapa|replika' },
]

/**
 * Nouns that name a part or an accessory only right after the queried words ("Dyson V8 filter", "PS5 DualSense controller"), since elsewhere they
 * describe the thing itself. Nouns without this restriction, in all languages, are in accessory-nouns.ts.
 */
export const followingNouns =
  'controller|controllers|remote|dial|dials|container|pitcher|blade|blades|filter|filters|hose|brush|brushes|nozzle|attachment|attachments|earbud|tray|knob|lid|grip|grips|faceplate|shell|joystick|joysticks|gasket|bracket|manual|brochure'

/**
 * Nouns that name a part where they head a phrase that the queried words only modify ("Cold Air Intake Hose"), if the price is that of a part, too.
 * Motors, screens and the like are not among them: wholes are advertised by them.
 */
export const partNouns =
  'hose|hoses|pipe|pipes|tubing|duct|ducts|gasket|gaskets|seal|seals|clamp|clamps|coupler|couplers|elbow|flange|grommet|bushing|bushings|bracket|brackets|bolt|bolts|screw|screws|clip|clips|filter|filters|sensor|sensors|valve|valves|relay|fuse|wire|wires|wiring|harness|connector|connectors|plug|plugs|spring|springs|bearing|bearings|belt|belts|pulley|nozzle|lever|latch|handle|handles|knob|knobs|hinge|hinges|bezel|bezels|trim|shroud|shield|lid|lids|blade|blades|housing|casing|strings'

/** Words after a noun that do not change what it names. */
export const trailingWords = 'oem|oe|new|used|genuine|original|replacement|spare|only|assembly|assy'

/** Words before something that is included. */
export const inclusion =
  'with|w|incl|includes|including|included|inc|and|plus|mit|inkl|inklusive|und|avec|et|con|com|e|y|met|no|without|ohne|sans|senza|sin'

/** Those of them after which everything is included, not only the next words. */
export const longInclusion = 'with|w|incl|includes|including|inc|mit|inkl|inklusive|avec|met'

/** Words before what a title says that it does not offer: "not a replica". */
export const denials = 'no|not|non|never|kein|keine|pas|geen|nie'

/** Words between an accessory and the thing that it is made for. */
export const madeFor = 'for|fits|fit|compatible|compatibile|fur|fuer|passend|pour|per|para|voor'

/** Words after a model that name another one: "14 Pro", "3080 Ti", "A7 III". */
export const variantWords =
  'pro|max|plus|mini|ultra|lite|slim|ti|super|xt|xtx|se|fe|mark|mk|ii|iii|iv|xl|neo|edge|fold|flip|note|turbo'

/** Units and ordinals that may be glued to a number without making it another model: "14inch", "128GB". No amperes: "Pixel 7a" is another model. */
export const units =
  'gb|tb|mb|mm|cm|m|in|inch|inches|ft|hz|ghz|mhz|mah|wh|w|v|kv|l|ml|kg|g|lb|lbs|oz|mp|k|p|th|st|nd|rd|gen|core|cores|bit|pcs|pc|pack|er|x'

/** Words of a query that distinguish nothing. */
export const emptyWords =
  'a|an|the|of|for|with|and|or|in|on|to|der|die|das|und|mit|fur|le|la|les|de|du|et|pour|il|lo|di|con|per|el|los|y|para'

/** Several pieces at one price, by language. */
export const lotWords: readonly { readonly language: string; readonly words: string }[] = [
  {
    language: 'English',
    words:
      '^(?:[2-9]|[1-9]\\d) ?x|lots? of(?: \\d+)?|job ?lot|lot|\\d+ ?(?:pcs|pieces|count|units)|bundle of \\d+|set of \\d+|(?:packs?|rolls?) of \\d+|\\d+ ?packs?|wholesale|bulk|pallet|qty ?\\d+|quantity \\d+',
  },
  {
    language: 'German',
    words: 'konvolut|sammlung von|posten|\\d+ ?(?:st[uü]ck|stk)|\\d+er (?:set|pack)|paket mit \\d+',
  },
  { language: 'French', words: 'lots? de(?: \\d+)?|\\d+ pi[eè]ces' },
  { language: 'Italian', words: 'lott[oi](?: di)?(?: \\d+)?|stock di|\\d+ pezzi' },
  { language: 'Spanish', words: 'lotes?(?: de)?(?: \\d+)?|\\d+ (?:piezas|unidades)' },
  { language: 'Dutch', words: 'partij|\\d+ stuks|set van \\d+' },
  { language: 'Portuguese', words: 'lotes?(?: de)?(?: \\d+)?|\\d+ (?:pe[cç]as|unidades)' },
  { language: 'Polish', words: '\\d+ ?(?:szt|sztuk|sztuki)' },
]

/** Broken items, by language, in titles and conditions. */
export const brokenWords: readonly {
  readonly language: string
  readonly words: string
  /** Whether the language is written without spaces, so that words have no boundaries. */
  readonly isUnspaced?: boolean
}[] = [
  {
    language: 'English',
    words:
      "for parts|parts only|for spares|spares or repairs?|parts or repairs?|not (?:charging|powering on|reading|running|spinning|starting|turning on|working)|non working|doesn['’]?t work|does not work|won['’]?t (?:turn on|boot|charge|power on)|dead on arrival|faulty|defective|broken|cracked screen|needs? repairs?|for repair|no power|untested|water damaged?|liquid damaged?|bad (?:imei|esn|lcd|screen)|blacklisted|(?:icloud|activation|google|frp|mdm|account|bios) lock(?:ed)?|cracked (?:lcd|display|glass|back)|no (?:display|post|boot)",
  },
  {
    language: 'German',
    words:
      'defekt(?:e|er|es)?|(?:motor|getriebe|wasser)schaden|bastler|bastlerger[aä]t|ersatzteilspender|als ersatzteil(?:e|spender)?|nur ersatzteile|ohne funktion|funktioniert nicht|geht nicht an',
  },
  {
    language: 'French',
    words:
      'pour pi[eè]ces(?: d[eé]tach[eé]es)?|pi[eè]ces d[eé]tach[eé]es uniquement|ne fonctionne pas|hors service|(?:[eé]cran|batterie|moteur|dalle|lecteur|carte m[eè]re|alimentation) hs|hs pour pi[eè]ces|en panne|[aà] r[eé]parer|cass[eé]e?',
  },
  {
    language: 'Italian',
    words:
      'non funzionante|non funziona|(?:per|solo) ricambi|per parti(?: di ricambio)?|guast[oaie]|difettos[oaie]|da riparare|rott[oaie]',
  },
  {
    language: 'Spanish',
    words:
      'para (?:piezas|repuestos?|desguace|reparar)|solo (?:para )?piezas|no funciona|averiad[oa]s?|defectuos[oa]s?|rot[oa]s?',
  },
  {
    language: 'Dutch',
    words: 'defecte?|kapot(?:te)?|(?:voor|alleen) onderdelen|werkt niet|niet werkend|ter reparatie',
  },
  {
    language: 'Portuguese',
    words: 'para pe[cç]as|n[aã]o (?:funciona|liga)|avariad[oa]s?|com defeito|para repara[cç][aã]o',
  },
  {
    language: 'Polish',
    words:
      '(?:na|tylko) cz[eę][sś]ci|do naprawy|uszkodzon[yae]|nie dzia[lł]a|zepsut[yae]|niesprawn[yae]|nie w[lł][aą]cza si[eę]',
  },
  {
    language: 'Russian',
    words:
      'на (?:запчасти|детали)|для (?:запчастей|разборки)|под восстановление|не ?работа(?:ет|ют|ющий|ющая|ющее)|не ?рабоч(?:ий|ая|ее)|не ?исправ(?:ен|на|но|ный|ная|ное)|не включается|сломан(?:а|о|ы|ный|ная|ное)?|разбит(?:ый|ая|ое)|(?:требует|нужен|под) ремонта?',
  },
  {
    language: 'Japanese',
    isUnspaced: true,
    words:
      'ジャンク(?!ション|フード)|部品取り|不動品|(?<!无|無|没有|沒有|零)故障(?!な|無|は|し(?:に|ません)|码|碼|排除|诊断|診斷|診断)|動作不良|動作未確認|電源(?:が)?入(?:らず|りません|らない)|要修理',
  },
  {
    language: 'Chinese',
    isUnspaced: true,
    words:
      '零件[机機]|料[机機]|(?:仅|僅|用)[供作当當]?(?:作|做)?零件|不(?:能|可)(?:开机|開機|工作|使用)|[无無]法(?:开机|開機|工作|使用|运行|運行)|[坏壞](?:了|机|機|屏)|需(?:要)?[维維]修|待修|报废|報廢',
  },
  {
    language: 'Korean',
    isUnspaced: true,
    words: '부품용|고장(?!\\s?(?:없|안|률))|작동 ?(?:안|불가|하지 않)|(?:수리|정비) ?(?:필요|요망)|전원 ?(?:안|불량)',
  },
]

/** Conditions of things that work, as the marketplace words them but without accents; the first match wins. */
export const conditionWords: readonly (readonly [condition: 'new' | 'used', words: string])[] = [
  [
    'used',
    'like new|open box|new other.*|wie neu|neuwertig|neu:? sonstige.*|comme neuf|neuf autre.*|come nuovo|nuovo altro|como nuevo|nuevo otro|.*refurbished|.*renewed|general[uü]berholt|.*reconditionn[eé]|.*ricondizionat[oa]|.*reacondicionado|pre ?owned.*|used|gebraucht|(?:d.)?occasion|usato|(?:di )?seconda mano|usado|de segunda mano|tweedehands|gebruikt|zo goed als nieuw|als nieuw|uzywan[yae]|jak nowy|как новыи|б у|бывш.*|使用済み.*|中古.*|未使用に近い.*|准新|二手.*|使用过.*|vintage|excellent|very good|good|acceptable|fair',
  ],
  [
    'new',
    '(?:brand|totalmente|fabrycznie)? ?(?:new|neu|neuf|nuov[oa]|nuev[oa]|novo|nieuw|now[yae])(?: .*)?|brandneu.*|gloednieuw|sealed|новыи.*|новое|новая|新品.*|全新.*',
  ],
]
