/** Structured data objects of a page, unwrapped from arrays and graphs. Blocks of invalid JSON are skipped. */
export const structuredData = (html: string): readonly Readonly<Record<string, unknown>>[] => {
  const objects: Readonly<Record<string, unknown>>[] = []
  const closing = /<\/script/gi
  for (const { index, 0: tag } of html.matchAll(/<script[^<>]*application\/ld\+json[^<>]*>/gi)) {
    const start = index + tag.length
    if (start < closing.lastIndex) continue
    closing.lastIndex = start
    const end = closing.exec(html)?.index
    if (end === undefined) break
    objects.push(...objectsIn(parsed(html.slice(start, end))))
  }
  return objects
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const objectsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] => {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  if (!isObject(value)) return []
  return value['@graph'] === undefined ? [value] : objectsIn(value['@graph'])
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)
const text = (value: unknown): string | undefined => {
  const one = first(value)
  return typeof one === 'string' && one.trim() !== '' ? one.trim() : undefined
}

/** The product that a page's structured data describes. */
export type Product = {
  readonly name: string | undefined
  readonly images: readonly string[]
  readonly price: number | undefined
  readonly currency: string | undefined
  /** Last part of the schema's term, such as `NewCondition`. */
  readonly condition: string | undefined
  readonly availability: string | undefined
}

const lastPart = (value: string | undefined): string | undefined => value?.split('/').at(-1)

/** The Product of a page; its price is that of the offer, or the lower one of an aggregate offer. */
export const productIn = (data: readonly Readonly<Record<string, unknown>>[]): Product | undefined => {
  const product = data.find((object) => text(object['@type']) === 'Product')
  if (product === undefined) return undefined
  const offer = first(product.offers)
  const terms = isObject(offer) ? offer : {}
  const price = Number(terms.price ?? terms.lowPrice ?? Number.NaN)
  const images = Array.isArray(product.image) ? product.image : [product.image]
  return {
    name: text(product.name),
    images: images.filter((image): image is string => typeof image === 'string'),
    price: Number.isFinite(price) && price > 0 ? price : undefined,
    currency: text(terms.priceCurrency),
    condition: lastPart(text(terms.itemCondition)),
    availability: lastPart(text(terms.availability)),
  }
}

/** Names along the page's breadcrumbs, the site's own name first. */
export const breadcrumbsIn = (data: readonly Readonly<Record<string, unknown>>[]): readonly string[] => {
  const list = data.find((object) => text(object['@type']) === 'BreadcrumbList')?.itemListElement
  if (!Array.isArray(list)) return []
  const steps = list.filter(isObject).map((step) => {
    const name = text(step.name) ?? (isObject(step.item) ? text(step.item.name) : undefined)
    return { name, position: Number(step.position ?? 0) }
  })
  return steps.sort((a, b) => a.position - b.position).flatMap(({ name }) => name ?? [])
}
