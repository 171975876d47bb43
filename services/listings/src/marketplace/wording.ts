/**
 * Words that sites use around the values we read, by language. A page may mix languages (a Japanese visitor on an English
 * site), so every language is tried. To support another language, add its row; no other module knows words.
 */

/** Combines the patterns of all languages: every line of every card is matched, and one pattern costs less than a dozen. */
const anyOf = (patterns: Readonly<Record<string, RegExp>>, flags = 'iu'): RegExp =>
  new RegExp(
    Object.values(patterns)
      .map(({ source }) => `(?:${source})`)
      .join('|'),
    flags,
  )

/**
 * The divider above results that match only some of the words. Its sentence varies, so a notice is the divider if it contains
 * both "fewer" and "words" in one language; other notices share its class names.
 */
const fewerWords: Readonly<Record<string, { readonly fewer: RegExp; readonly words: RegExp }>> = {
  en: { fewer: /\b(?:fewer|less|some of your)\b/i, words: /\b(?:words|keywords|terms|search terms)\b/i },
  de: { fewer: /\bweniger\w*/i, words: /\w*(?:suchbegriff|begriff|stichw|schlüsselw|wörter|worten|wörtern)\w*/i },
  fr: { fewer: /\bmoins\b/i, words: /\b(?:mots?|mots-clés|termes?)\b/i },
  it: { fewer: /\b(?:meno|minor|minore|inferiore)\b/i, words: /\b(?:parole|termini|parola)\b/i },
  es: { fewer: /\bmenos\b/i, words: /\b(?:palabras?|términos?)/i },
  pt: { fewer: /\bmenos\b/i, words: /\b(?:palavras?|termos?)\b/i },
  nl: { fewer: /\bminder\b/i, words: /\b(?:zoek|tref|sleutel)?(?:woorden|termen)\b/i },
  pl: { fewer: /\bmniej/i, words: /(?:słów|słowa|słowom|wyraz|słowami)/i },
  sv: { fewer: /\bfärre\b/i, words: /(?:sök)?ord\b/i },
  da: { fewer: /\bfærre\b/i, words: /(?:søge)?ord\b/i },
  cs: { fewer: /\bméně\b/i, words: /slov/i },
  tr: { fewer: /daha az/i, words: /kelime/i },
  ru: { fewer: /меньш|не все/i, words: /слов/i },
  ja: { fewer: /少ない|少数|一部/u, words: /キーワード|単語|語句|検索語|ワード/u },
  zh: { fewer: /较少|更少|較少|部分/u, words: /字词|字詞|关键|關鍵|词语|詞語|搜索词|搜尋字/u },
  ko: { fewer: /더 적은|일부/u, words: /단어|키워드|검색어/u },
  th: { fewer: /น้อย/u, words: /คำ/u },
}

/** Longest notice that can be the divider, in characters; a longer paragraph may contain both words by chance. */
const longestNotice = 160

/** Whether a notice between the results announces that the following ones match fewer of the words. */
export const announcesFewerWords = (notice: string): boolean =>
  notice.length <= longestNotice &&
  Object.values(fewerWords).some(({ fewer, words }) => fewer.test(notice) && words.test(notice))

/** Hidden words for screen readers, which older layouts put inside the title. */
const newWindow = anyOf(
  {
    en: /opens? in (?:a )?new window(?: or (?:a new )?tab)?/gi,
    de: /wird in (?:einem )?neue[mn] fenster(?: oder (?:einem neuen )?tab)? geöffnet/gi,
    fr: /s['’]ouvre dans une nouvelle fenêtre(?: ou un nouvel onglet)?/gi,
    it: /(?:viene aperta|si apre) in una nuova finestra(?: o (?:una )?(?:nuova )?scheda)?/gi,
    es: /se abre en una (?:nueva ventana|ventana nueva)(?: o (?:en una )?pestaña(?: nueva)?)?/gi,
    pt: /abre em uma nova (?:janela|guia)(?: ou (?:nova )?(?:guia|aba))?/gi,
    nl: /wordt in (?:een )?nieuw venster of (?:nieuw )?tabblad geopend|(?:wordt )?geopend in een nieuw venster(?: of tabblad)?/gi,
    pl: /otwiera się w nowym oknie(?: lub (?:nowej )?karcie)?/gi,
    ru: /открыва\p{L}+ в новом окне(?: или (?:новой )?вкладке)?/giu,
    ja: /新しいウィンドウ(?:または|か)?(?:新しい)?タブ(?:に|で)(?:表示|開)\p{L}*/gu,
    zh: /在新(?:窗口|視窗|视窗)(?:或(?:新)?(?:标签页|選項卡|标签|分頁))?(?:中)?(?:打开|開啟|打開)/gu,
  },
  'giu',
)

/** Words in place of a new seller's feedback. */
const noFeedback = anyOf({
  en: /no (?:feedback|ratings?|reviews?)(?!\p{L})/iu,
  de: /(?:noch )?keine bewertung(?:en)?(?!\p{L})/iu,
  fr: /(?:aucune? (?:évaluation|avis)|(?:pas encore d|sans )['’]?(?:évaluations?|avis))(?!\p{L})/iu,
  it: /(?:nessun (?:feedback|riscontro)|nessuna valutazione)(?!\p{L})/iu,
  es: /(?:sin|ning[uú]n|ninguna) (?:votos?|comentarios?|valoraci(?:ón|ones))(?!\p{L})/iu,
  pt: /sem (?:feedback|avaliaç(?:ão|ões))(?!\p{L})/iu,
  nl: /(?:nog )?geen (?:feedback|beoordelingen)(?!\p{L})/iu,
  pl: /brak (?:opinii|ocen|komentarzy)(?!\p{L})/iu,
  sv: /(?:ingen feedback|inga omdömen)(?!\p{L})/iu,
  ru: /нет отзывов(?!\p{L})/iu,
  ja: /(?:評価|フィードバック)(?:は)?(?:なし|まだありません)/u,
  zh: /(?:暂无|沒有|没有|尚無)(?:信用)?(?:评价|評價|反馈)/u,
})

/** Whether a text starts with the words that a seller has no feedback, after any separator. */
export const startsWithNoFeedback = (text: string): boolean =>
  noFeedback.exec(text.replace(/^[\s:|·•([-]+/u, ''))?.index === 0

const newListing = anyOf({
  en: /^new listing\s*:?\s*/i,
  de: /^neues angebot\s*/i,
  fr: /^nouvelle (?:annonce|mise en vente)\s*/i,
  it: /^nuova inserzione\s*/i,
  es: /^(?:anuncio nuevo|nuevo anuncio|nueva publicación)\s*/i,
  nl: /^nieuwe (?:aanbieding|advertentie|vermelding)\s*/i,
  pl: /^(?:nowa oferta|nowe ogłoszenie)\s*/i,
  ja: /^新規出品\s*/u,
  zh: /^新(?:刊登|上架)(?:物品)?\s*/u,
})

/** A title without the words that the page added to it. */
export const cleanTitle = (title: string): string => {
  const shown = title.replace(newWindow, ' ').replace(/\s+/g, ' ').trim()
  return shown.replace(newListing, '').trim()
}

/** Cards that advertise the site itself and come first in the list of results. */
export const isPlaceholderTitle = (title: string): boolean => /^shop on \S+$/i.test(title)

/** Words before or after the one end of a range of prices that a page shows: "From $50", "Up to $50", "50 元起". */
const oneEnd = anyOf({
  en: /^(?:from|starting (?:at|from)|as low as|up to)(?!\p{L})/iu,
  de: /^(?:ab|bis(?: zu)?)(?!\p{L})/iu,
  fr: /^(?:à partir de|dès|jusqu['’]à)(?!\p{L})/iu,
  it: /^(?:(?:a partire )?da|fino a)(?!\p{L})/iu,
  es: /^(?:desde|a partir de|hasta)(?!\p{L})/iu,
  pt: /^(?:a partir de|até)(?!\p{L})/iu,
  nl: /^(?:vanaf|tot)(?!\p{L})/iu,
  pl: /^(?:od|do)(?!\p{L})/iu,
  sv: /^(?:från|upp till|fra|op til)(?!\p{L})/iu,
  ru: /^(?:от|до)(?!\p{L})/iu,
  ja: /(?:から|まで|[~〜～])$/u,
  zh: /^(?:最低|最高)|起$/u,
  ko: /(?:부터|까지)$/u,
})

/** Whether the text of a price is one end of a range only. */
export const isOneEnd = (text: string): boolean => oneEnd.test(text.trim())

const bids = anyOf({
  en: /(?<![\d.,])(?<count>\d[\d.,]*)\s*bids?\b/i,
  de: /(?<count>\d[\d.,]*)\s*gebote?\b/i,
  fr: /(?<count>\d[\d.,]*)\s*(?:enchères?|offres?)(?!\p{L})/iu,
  it: /(?<count>\d[\d.,]*)\s*offert[ae]\b/i,
  es: /(?<count>\d[\d.,]*)\s*(?:pujas?|ofertas?)\b/i,
  pt: /(?<count>\d[\d.,]*)\s*lances?\b/i,
  nl: /(?<count>\d[\d.,]*)\s*(?:bod|biedingen|bieding|boden)\b/i,
  pl: /(?<count>\d[\d.,]*)\s*(?:ofert[ay]?|licytacj[aei])(?!\p{L})/iu,
  sv: /(?<count>\d[\d.,]*)\s*bud\b/i,
  ru: /(?<count>\d[\d.,]*)\s*став/iu,
  ja: /(?<count>\d[\d.,]*)\s*(?:件|回)?の?入札/u,
  jaAfter: /入札(?:件数)?\s*[:：]?\s*(?<count>\d[\d.,]*)/u,
  zh: /(?<count>\d[\d.,]*)\s*(?:次|个|個|人)?\s*(?:出价|出價|竞价|競價|竞标|競標|投标|投標)/u,
})

/** The number of bids in a line of a card, or undefined if it has none. */
export const readBids = (line: string): number | undefined => {
  const count = bids.exec(line)?.groups?.count
  return count === undefined ? undefined : Number(count.replace(/\D/g, ''))
}

const bestOffer = anyOf({
  en: /\bbest offers?\b|\bmake offer\b/i,
  de: /preisvorschl/i,
  fr: /offre directe|meilleure offre|faire (?:une )?offre/i,
  it: /proposta d['’]acquisto|miglior offerta|offerta migliore/i,
  es: /mejor oferta/i,
  pt: /melhor oferta/i,
  nl: /beste bod|bod doen/i,
  pl: /ofert[aęy] cenow|najlepsz[aąe]j? ofert[aęy]|złóż ofertę|propozycj/i,
  ru: /лучшее предложение|предложить цену/i,
  ja: /ベストオファー|値下げ交渉/u,
  zh: /最佳(?:出价|報價|报价|議價|议价)|议价|議價/u,
})

export const takesOffers = (line: string): boolean => bestOffer.test(line)

const accepted = anyOf({
  en: /\baccepted\b/i,
  de: /angenommen|akzeptiert/i,
  fr: /accept[ée]/i,
  it: /accettat/i,
  es: /acept(?:ad|ó|aron)/i,
  pt: /aceit/i,
  nl: /geaccepteerd|aanvaard/i,
  pl: /przyjęt|zaakceptowan/i,
  ru: /принят/i,
  ja: /承認|承諾|成立/u,
  zh: /接受|接納/u,
})

/** "Best offer accepted": the price on the card is the listed price, not the price paid. */
export const statesOfferAccepted = (line: string): boolean => takesOffers(line) && accepted.test(line)

const sold = anyOf({
  en: /\bsold\b/i,
  de: /\bverkauft\b/i,
  fr: /\bvendue?s?\b/i,
  it: /\bvendut[oaie]\b/i,
  es: /\bvendid[oa]s?\b/i,
  nl: /\bverkocht\b/i,
  pl: /sprzedan/i,
  sv: /(?<!\p{L})såld/iu,
  ru: /продан/i,
  ja: /売却|落札|販売済|売り切れ/u,
  zh: /已售|售出|已賣|已卖/u,
  th: /ขายแล้ว/u,
})

const ended = anyOf({
  en: /\bended\b/i,
  de: /\bbeendet\b/i,
  fr: /terminée?s?/i,
  it: /terminat[oa]|scadut[oa]|chius[oa]/i,
  es: /finalizad[oa]|terminad[oa]/i,
  pt: /encerrad[oa]/i,
  nl: /beëindigd|afgelopen/i,
  pl: /zakończon/i,
  ru: /заверш/i,
  ja: /終了/u,
  zh: /已?结束|已?結束/u,
  th: /สิ้นสุด|จบแล้ว/u,
})

/** Words that turn "sold" into its opposite. */
const unsold = anyOf({
  en: /\b(?:not|never|without being) sold\b/i,
  de: /\bnicht verkauft\b/i,
  fr: /\b(?:non|pas) vendue?s?\b/i,
  it: /\bnon vendut[oaie]\b/i,
  es: /\bno vendid[oa]s?\b/i,
  pt: /(?<!\p{L})não vendid[oa]s?\b/iu,
  nl: /\bniet verkocht\b/i,
  pl: /\bnie sprzedan|niesprzedan/i,
  sv: /\binte såld/i,
  ru: /(?<!\p{L})не продан/iu,
  ja: /売れ(?:ません|なかった|残)|未落札/u,
  zh: /未售出|未賣出|未卖出/u,
  th: /(?:ไม่|ยังไม่)(?:ได้)?ขาย/u,
})

export const statesSold = (line: string): boolean => sold.test(line) && !unsold.test(line)
export const statesEnded = (line: string): boolean => ended.test(line)

/**
 * How a card's condition starts. Only used to distinguish it from a seller's advertisement in the same position, so a missing
 * word costs little: a short last line without words of advertisements is then used as the condition.
 */
const condition = new RegExp(
  `^(?:${[
    'brand new|new\\b(?! (?:low|listing|price))|like new|pre-?owned|used\\b|open box|refurbished|certified|seller refurbished|remanufactured|for parts|parts only|not working|very good|good\\b|acceptable|excellent|graded|ungraded|mint',
    'brandneu|neu\\b|neu:|neuwertig|gebraucht|generalüberholt|als ersatzteil|nur ersatzteil|defekt|sehr gut|gut\\b|akzeptabel|neuer',
    "neuf|occasion|d[’']occasion|reconditionné|pour pièces|très bon|bon état|comme neuf|état|parfait état|objet",
    'nuov|usat|di seconda mano|seconda mano|ricondizionat|come nuov|buon|ottim|per parti|pari al nuovo',
    'totalmente nuev|nuev|usad|de segunda mano|reacondicionad|para repuesto|para desguace|como nuevo|buen|muy bueno|aceptable',
    'novo|usado|recondicionado|para peças',
    'gloednieuw|nieuw|gebruikt|tweedehands|gereviseerd|(?:voor|alleen) onderdelen|defect|niet werkend|als nieuw|zo goed als nieuw',
    'fabrycznie|now[yae]|używan|odnowion|na części|jak nowy',
    'helt ny|ny\\b|begagnad|renoverad|helt nyt|brugt',
    'нов|б/у|бывш|восстановл|на запчасти|для запчастей|нерабоч|не работает',
    '新品|中古|未使用|未開封|整備済|再生品|ジャンク|部品取り|動作不良|全新|用作零件|仅用作|零件|二手|翻新|已使用|未使用|准新|새|중고',
  ].join('|')})`,
  'iu',
)

export const startsLikeCondition = (line: string): boolean => condition.test(line)

/** Words by which sellers advertise an offer or themselves. */
const advertising = anyOf({
  en: /\b(?:free|fast|shipp?(?:ing|ed|s)?|deliver(?:y|ed)|returns?|warranty|guaranteed?|dealers?|sellers?|stores?|stock|sale|deals?|discount|official|authentic|genuine|trusted|top.rated|buy|save|off|best|quality)\b/i,
  de: /kostenlos|versand|liefer|rückgabe|garantie|händler|verkäufer|angebot|rabatt|vorrätig|original/i,
  fr: /gratuit|livraison|expédi|retours?|garanti|vendeur|promo|remise|en stock|authentique/i,
  it: /gratuit|spedizion|consegna|resi?\b|garanzia|venditore|sconto|offerta|disponibil|originale/i,
  es: /gratis|envío|entrega|devoluci|garantía|vendedor|descuento|oferta|en stock|auténtico/i,
  nl: /gratis|verzend|levering|retour|garantie|verkoper|korting|voorraad/i,
  pl: /darmow|wysyłk|dostaw|zwrot|gwarancj|sprzedawc|rabat|promocj|oryginaln/i,
  ru: /бесплатн|доставк|возврат|гаранти|продавец|скидк|в наличии|оригинал/i,
  ja: /無料|送料|発送|返品|保証|正規|公式|値引/u,
  zh: /免费|免費|包邮|包郵|发货|發貨|退货|退貨|保证|保證|保修|正品|官方|折/u,
})

/** Whether a line names what the seller advertises rather than the state of the item. */
export const advertises = (line: string): boolean => advertising.test(line)

/** Badges beside the name of a seller, which are no names. */
const badge = anyOf({
  en: /^(?:sponsored|promoted|ad|verified|authori[sz]ed|certified|refurbished|official(?: store)?|business|private|trusted|top.rated(?: (?:plus|seller))?|new|sale|hot|authenticity guarantee)$/i,
  de: /^(?:gesponsert|anzeige|verifiziert|zertifiziert|autorisiert|gewerblich|privat|neu|top.bewertet(?:er verkäufer)?)$/i,
  fr: /^(?:sponsorisée?|annonce|vérifiée?|certifiée?|agréée?|professionnel|particulier|nouveau)$/i,
  it: /^(?:sponsorizzat[oa]|annuncio|verificat[oa]|certificat[oa]|autorizzat[oa]|professionale|privato|nuovo)$/i,
  es: /^(?:patrocinad[oa]|anuncio|verificad[oa]|certificad[oa]|autorizad[oa]|profesional|particular|nuevo)$/i,
  pt: /^(?:patrocinad[oa]|anúncio|verificad[oa]|certificad[oa]|autorizad[oa]|novo)$/i,
  nl: /^(?:gesponsord|advertentie|geverifieerd|gecertificeerd|zakelijk|particulier|nieuw)$/i,
  pl: /^(?:sponsorowan[ey]|reklama|zweryfikowan[yae]|certyfikowan[yae]|firma|nowość)$/i,
  ru: /^(?:реклама|спонсор(?:ское)?|проверен(?:о|ный)?|официальный)$/i,
  ja: /^(?:スポンサー|広告|PR|認定|公式|新着)$/u,
  zh: /^(?:广告|廣告|赞助|贊助|认证|認證|官方|新)$/u,
})

/** Whether a text in a row of a seller is a badge. */
export const isBadge = (text: string): boolean => badge.test(text)

/** Headings of a search that found nothing at all. */
export const statesNothingFound = (text: string): boolean =>
  /\bno exact matches found\b|\bno results found\b|keine (?:genauen? |exakten? )?(?:treffer|ergebnisse|übereinstimmung)|aucun(?:e correspondance| résultat| objet)|nessun(?:a)? (?:risultato|corrispondenza)|no se (?:(?:ha|han) encontrado|encontr(?:ó|aron))|ning[uú]n resultado|nenhum resultado|geen (?:exacte )?(?:resultaten|overeenkomsten)|(?:brak|nie znaleziono) (?:dokładnych )?(?:wyników|dopasowań)|не найдено|見つかりません|一致する(?:商品|検索結果).{0,6}(?:ありません|ない)|未找到|找不到|没有找到|沒有找到/iu.test(
    text,
  )
