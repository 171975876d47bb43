import { conditions, damagedEndings, type Family, families, soundEndings } from './catalogue.ts'
import { createRandom, type Random } from './random.ts'

const day = 86_400_000
/** Length of an auction. Auctions restart when they end, so that the demo never runs empty. */
const auctionRun = 7 * day

export type DemoSeller = {
  readonly name: string
  readonly joined: { readonly year: number; readonly month: number }
  readonly feedbackCount: number
  /** Percent; undefined for a seller without feedback. */
  readonly positivePercent: number | undefined
  readonly isRetailer: boolean
}

export type DemoItem = {
  readonly id: string
  readonly title: string
  readonly family: Family
  readonly seller: DemoSeller
  readonly condition: string
  readonly price: number
  readonly highPrice: number | undefined
  readonly struckPrice: number | undefined
  readonly photo: string
  readonly bids: number | undefined
  readonly takesOffers: boolean
  /** When the current run of an auction ends, as of `now`. */
  readonly endsAt: (now: Date) => Date | undefined
  /** When it was listed; undefined for the items that are always there. */
  readonly listedAt: Date | undefined
  /** How an item that is over ended; days are counted back from the time of the request. */
  readonly outcome: { readonly kind: 'sold' | 'ended' | 'offer'; readonly daysAgo: number } | undefined
}

export type Inventory = {
  readonly seed: number
  readonly active: readonly DemoItem[]
  readonly over: readonly DemoItem[]
  readonly sellers: readonly DemoSeller[]
}

type SellerKind = {
  readonly share: number
  readonly ageDays: readonly [number, number]
  readonly feedback: readonly [number, number]
  readonly percent: readonly [number, number] | undefined
}

/** Kinds of sellers, with their share per hundred. */
const sellerKinds: readonly SellerKind[] = [
  { share: 40, ageDays: [1500, 7000], feedback: [250, 9000], percent: [99, 100] },
  { share: 24, ageDays: [400, 3000], feedback: [40, 400], percent: [96, 100] },
  { share: 10, ageDays: [2500, 8000], feedback: [1500, 180_000], percent: [98, 99.9] },
  { share: 8, ageDays: [40, 360], feedback: [3, 45], percent: [92, 100] },
  { share: 8, ageDays: [300, 4000], feedback: [30, 900], percent: [58, 79] },
  { share: 5, ageDays: [1, 29], feedback: [1, 8], percent: [80, 100] },
  { share: 5, ageDays: [1, 400], feedback: [0, 0], percent: undefined },
]

const firstNames = [
  'amber',
  'bolt',
  'cedar',
  'delta',
  'echo',
  'fern',
  'grove',
  'harbor',
  'iris',
  'juniper',
  'kite',
  'lumen',
  'maple',
  'north',
  'opal',
  'pine',
  'quartz',
  'river',
  'slate',
  'tide',
] as const
const secondNames = ['traders', 'outlet', 'shop', 'finds', 'works', 'corner', 'attic', 'supply', 'bay', 'lab'] as const

const weighted = <Row>(rows: readonly [Row, ...Row[]], share: (row: Row) => number, random: Random): Row => {
  let left = random.next() * rows.reduce((sum, row) => sum + share(row), 0)
  for (const row of rows) {
    left -= share(row)
    if (left < 0) return row
  }
  return rows[0]
}

export const nonEmpty = <Row>(rows: readonly Row[]): readonly [Row, ...Row[]] => {
  const [first, ...rest] = rows
  if (first === undefined) throw new Error('A table of the demo is empty.')
  return [first, ...rest]
}

const createSeller = (index: number, now: Date, random: Random): DemoSeller => {
  const kind = weighted(nonEmpty(sellerKinds), ({ share }) => share, random)
  const joined = new Date(now.getTime() - random.between(...kind.ageDays) * day)
  const feedbackCount = random.between(...kind.feedback)
  const [low, high] = kind.percent ?? [0, 0]
  return {
    name: `${random.pick(firstNames)}-${random.pick(secondNames)}${index}`,
    joined: { year: joined.getUTCFullYear(), month: joined.getUTCMonth() + 1 },
    feedbackCount,
    positivePercent:
      kind.percent === undefined ? undefined : Math.round((low + random.next() * (high - low)) * 10) / 10,
    isRetailer: feedbackCount >= 1000,
  }
}

type Goods = ReturnType<typeof describeGoods>

/** Generates an item of a model, regardless of how it is sold. */
export const describeGoods = (family: Family, [model, usual]: Family['models'][number], random: Random) => {
  const condition = weighted(nonEmpty(conditions), ({ weight }) => weight, random)
  const isBroken = condition.worth < 0.5
  const ending = isBroken ? random.pick(damagedEndings) : random.chance(0.25) ? random.pick(soundEndings) : ''
  const title = [model, random.pick(family.variants), family.noun, ending].filter((part) => part !== '').join(' ')
  return { family, model, title, condition: condition.name, worth: usual * condition.worth }
}

const createGoods = (random: Random): Goods => {
  const family = random.pick(nonEmpty(families))
  return describeGoods(family, random.pick(nonEmpty(family.models)), random)
}

export const cents = (amount: number): number => Math.max(0.99, Math.round(amount) - 0.01)

type Offer = {
  readonly id: string
  /** Name of its picture, unless its seller uses one for all items of the model. */
  readonly photo: string
  readonly goods: Goods
  readonly isOver: boolean
  readonly listedAt?: Date
}

/** Generates how goods are sold. */
export const offerGoods = (
  { id, photo, goods, isOver, listedAt }: Offer,
  sellers: readonly DemoSeller[],
  random: Random,
): DemoItem => {
  const seller = random.pick(nonEmpty(sellers))
  // A few offers are too good to be true, most of them by sellers with little to lose.
  const isBait = !isOver && random.chance(seller.feedbackCount < 50 ? 0.2 : 0.02)
  const price = cents(goods.worth * (isBait ? 0.3 : random.around(0.3)))
  const isAuction = random.chance(0.2)
  const hasRange = !isAuction && random.chance(0.06)
  const endOffset = random.between(60_000, auctionRun)
  const overAs = random.chance(0.08) ? 'ended' : random.chance(0.1) ? 'offer' : 'sold'
  const shared = seller.isRetailer || random.chance(0.03)
  return {
    id,
    title: goods.title,
    family: goods.family,
    seller,
    condition: goods.condition,
    price,
    highPrice: hasRange ? cents(price * 1.6) : undefined,
    struckPrice: !isAuction && random.chance(0.15) ? cents(price * 1.2) : undefined,
    photo: shared ? goods.model.toLowerCase().replace(/[^a-z0-9]+/g, '-') : photo,
    bids: isAuction ? random.between(isOver ? 1 : 0, 24) : undefined,
    takesOffers: random.chance(0.25),
    endsAt: (now) =>
      isAuction && !isOver
        ? new Date(Math.ceil((now.getTime() - endOffset) / auctionRun) * auctionRun + endOffset)
        : undefined,
    listedAt,
    outcome: isOver ? { kind: overAs, daysAgo: random.between(0, 88) } : undefined,
  }
}

const createItem = (index: number, isOver: boolean, sellers: readonly DemoSeller[], random: Random): DemoItem =>
  offerGoods(
    {
      id: String((isOver ? 220_000_000_000 : 110_000_000_000) + index * 7919),
      photo: `p${isOver ? 'o' : 'a'}${index}`,
      goods: createGoods(random),
      isOver,
    },
    sellers,
    random,
  )

/** One item in this many has a photo that its seller took from another one's listing. */
const copyEvery = 20

/** Among the active items, some sellers show a slightly edited photo of another seller's listing of the same model. */
const withCopies = (items: readonly DemoItem[]): readonly DemoItem[] => {
  const originals = new Map<string, DemoItem>()
  return items.map((item, index) => {
    const { family, seller, title } = item
    const model = family.models.find(([name]) => title.startsWith(name))?.[0] ?? title
    const original = originals.get(model)
    const isOwn = /^p[ao]\d+$/.test(item.photo)
    if (isOwn && index % copyEvery === 0 && !seller.isRetailer && original && original.seller !== seller)
      return { ...item, photo: `${original.photo}-copy${index}` }
    if (isOwn) originals.set(model, item)
    return item
  })
}

/** Generates the demo's sellers and items. The same seed yields the same inventory; only join dates depend on `now`. */
export const createInventory = ({
  seed,
  now,
  active = 3000,
  over = 3000,
  sellers: sellerCount = 160,
}: {
  readonly seed: number
  readonly now: Date
  readonly active?: number
  readonly over?: number
  readonly sellers?: number
}): Inventory => {
  const random = createRandom(seed)
  const sellers = Array.from({ length: sellerCount }, (_, index) => createSeller(index, now, random))
  const items = (count: number, isOver: boolean) =>
    Array.from({ length: count }, (_, index) => createItem(index, isOver, sellers, random))
  return { seed, active: withCopies(items(active, false)), over: items(over, true), sellers }
}
