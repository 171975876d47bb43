import { families } from './catalogue.ts'
import { cents, type DemoItem, describeGoods, type Inventory, offerGoods } from './inventory.ts'
import { misleadingItems } from './misleading.ts'
import { createRandom } from './random.ts'

/** The marketplace changes at each multiple of this time, in milliseconds: not more often than a monitor may look. */
export const changeEvery = 15 * 60_000
/** New items are listed for this many changes. */
const listedFor = 4
/** The price of an item that gets cheaper falls once in this many changes, by this share of its first price, down to the last. */
const priceEvery = 4
const priceSteps = [1, 0.93, 0.86, 0.79] as const
/** One item in this many gets cheaper. */
const cheaperOne = 2

const models = families.flatMap((family) => family.models.map((model) => ({ family, model })))

/** Ids of new items: the time and the model, so that any instance can generate an item from its id. */
const newIds = 330_000_000_000
const modelsPerTime = 100

/** One model in this many is listed again under another id when it has not sold. */
const relistedOne = 6
/** Share of the first price at which an item is listed again. */
const relistedShare = 0.95

/** Whether the item of a model at a change is the one that has just ended, listed again: only items that were not, either, are. */
const isRelisted = (time: number, index: number): boolean =>
  index % relistedOne === 0 && Math.floor(time / listedFor) % 2 === 1

/** The item of a model that was listed at a change, by the number of changes since 1970. */
const newItem = (
  time: number,
  index: number,
  { seed, sellers }: Pick<Inventory, 'seed' | 'sellers'>,
): DemoItem | undefined => {
  const chosen = models[index]
  if (chosen === undefined) return undefined
  const [id, listedAt] = [String(newIds + time * modelsPerTime + index), new Date(time * changeEvery)]
  const ended = isRelisted(time, index) ? newItem(time - listedFor, index, { seed, sellers }) : undefined
  if (ended !== undefined) return { ...ended, id, listedAt, price: cents(ended.price * relistedShare) }
  const random = createRandom(Math.imul(seed, 7_919) ^ (time * modelsPerTime + index))
  return offerGoods(
    {
      id,
      photo: `pn${time}-${index}`,
      goods: describeGoods(chosen.family, chosen.model, random),
      isOver: false,
      listedAt,
    },
    sellers,
    random,
  )
}

/** An item at a time: some fixed prices fall in steps, and then return to the first one. */
const priced = (item: DemoItem, index: number, time: number): DemoItem => {
  if (item.bids !== undefined || item.highPrice !== undefined || index % cheaperOne !== 0) return item
  // The items take turns: at each change a quarter of them gets another price.
  const share = priceSteps[Math.floor((time + index / cheaperOne) / priceEvery) % priceSteps.length] ?? 1
  return share === 1 ? item : { ...item, price: cents(item.price * share), struckPrice: cents(item.price) }
}

/**
 * The marketplace at a time, as a function of the seed and the time alone: every quarter of an hour a new item of each model is listed for an hour, newest
 * first, some of them again, and some prices fall. Then follow offers that are something else than what their titles are found by.
 */
export const inventoryAt = (base: Inventory, now: Date): Inventory => {
  const latest = Math.floor(now.getTime() / changeEvery)
  const listed = Array.from({ length: listedFor }, (_, age) =>
    models.flatMap((_model, index) => newItem(latest - age, index, base) ?? []),
  ).flat()
  const { seed, sellers, active, over } = base
  return {
    ...base,
    active: [
      ...listed,
      ...misleadingItems('active', seed, sellers),
      ...active.map((item, index) => priced(item, index, latest)),
    ],
    over: [...over, ...misleadingItems('over', seed, sellers)],
  }
}

/** An item by its id: also one that is not listed any more, as pages of ended items remain for a while. */
export const findItem = (inventory: Inventory, id: string, now: Date): DemoItem | undefined => {
  const known = inventory.active.find((one) => one.id === id) ?? inventory.over.find((one) => one.id === id)
  const key = Number(id) - newIds
  if (known !== undefined || !(key >= 0)) return known
  const time = Math.floor(key / modelsPerTime)
  return time > now.getTime() / changeEvery ? undefined : newItem(time, key % modelsPerTime, inventory)
}
