/** Currencies of the marketplace's sites by domain: what a bare number or an ambiguous sign means there. */
const currencyBySuffix: readonly (readonly [suffix: string, currency: string])[] = [
  ['com.au', 'AUD'],
  ['com.br', 'BRL'],
  ['com.cn', 'CNY'],
  ['com.hk', 'HKD'],
  ['com.mx', 'MXN'],
  ['com.my', 'MYR'],
  ['com.sg', 'SGD'],
  ['com.tr', 'TRY'],
  ['com.tw', 'TWD'],
  ['co.jp', 'JPY'],
  ['co.kr', 'KRW'],
  ['co.nz', 'NZD'],
  ['co.th', 'THB'],
  ['co.uk', 'GBP'],
  ['at', 'EUR'],
  ['be', 'EUR'],
  ['ca', 'CAD'],
  ['ch', 'CHF'],
  ['cn', 'CNY'],
  ['com', 'USD'],
  ['cz', 'CZK'],
  ['de', 'EUR'],
  ['dk', 'DKK'],
  ['es', 'EUR'],
  ['fr', 'EUR'],
  ['hu', 'HUF'],
  ['ie', 'EUR'],
  ['in', 'INR'],
  ['it', 'EUR'],
  ['nl', 'EUR'],
  ['no', 'NOK'],
  ['ph', 'PHP'],
  ['pl', 'PLN'],
  ['pt', 'EUR'],
  ['ru', 'RUB'],
  ['se', 'SEK'],
  ['vn', 'VND'],
]

const siteOf = (address: string | undefined) => {
  const hostname = address === undefined ? undefined : URL.parse(address)?.hostname
  return hostname === undefined ? undefined : currencyBySuffix.find(([suffix]) => hostname.endsWith(`.${suffix}`))
}

/** The currency of the site that a URL belongs to; undefined for a host outside the table (an IP address, a test host). */
export const siteCurrency = (address: string | undefined): string | undefined => siteOf(address)?.[1]

/** The country (ISO 3166-1) of the site that a URL belongs to; undefined for a host outside the table. */
export const siteCountry = (address: string | undefined): string | undefined => {
  const domain = siteOf(address)?.[0].split('.').at(-1)
  return domain === 'com' ? 'US' : domain === 'uk' ? 'GB' : domain?.toUpperCase()
}
