/** Numbers in sentences for people, as the web app shows them. */

/** Created once, since creating a format takes much longer than using it. */
const counts = new Intl.NumberFormat('en')
const amounts = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** A count with separators: "1,200". */
export const grouped = (count: number): string => counts.format(count)

/** A count with its word: "1 day", "1,200 days". */
export const plural = (count: number, word: string): string => `${grouped(count)} ${word}${count === 1 ? '' : 's'}`

/** An amount of money to the cent, without its currency: "1,073.90". */
export const amountOf = (amount: number): string => amounts.format(amount)

export const money = (amount: number, currency: string): string => `${amountOf(amount)} ${currency}`

export const priceOrUnknown = (price: number | null, currency: string): string =>
  price === null ? 'price unknown' : money(price, currency)

/** A share (0..1) in percent, to a tenth. */
export const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`
