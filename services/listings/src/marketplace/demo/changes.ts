import { families } from './catalogue.ts'
import { cents, type DemoItem, describeGoods, type Inventory, offerGoods } from './inventory.ts'
import { createRandom } from './random.ts'

/** The marketplace changes at each multiple of this time, in milliseconds: not more often than a monitor may look. */
export const changeEvery = 15 * 60_000
/** New items are listed for this many changes. */
const listedFor = 4
/** The price of an item that gets cheaper falls once in this many changes, by this share of its first price, down to the last. */
const priceEvery = 8
const priceSteps = [1, 0.93, 0.86, 0.79] as const
/** One item in this many gets cheaper. */
const cheaperOne = 2

const models = families.flatMap((family) => family.models.map((model) => ({ family, model })))

/** Ids of new items: the time and the model, so that any instance can generate an item from its id. */
const newIds = 330_000_000_000
const modelsPerTime = 100

/** The item of a model that was listed at a change, by the number of changes since 1970. */
const newItem = (time: number, index: number, { seed, sellers }: Inventory): DemoItem | undefined => {
  const chosen = models[index]
  if (chosen === undefined) return undefined
  const random = createRandom(Math.imul(seed, 7_919) ^ (time * modelsPerTime + index))
  return offerGoods(
    {
      id: String(newIds + time * modelsPerTime + index),
      photo: `pn${time}-${index}`,
      goods: describeGoods(chosen.family, chosen.model, random),
      isOver: false,
      listedAt: new Date(time * changeEvery),
    },
    sellers,
    random,
  )
}

/** An item at a time: some fixed prices fall in steps, and then return to the first one. */
const priced = (item: DemoItem, index: number, time: number): DemoItem => {
  if (item.bids !== undefined || item.highPrice !== undefined || index % cheaperOne !== 0) return item
  // The items take turns: at each change an eighth of them gets another price.
  const share = priceSteps[Math.floor((time + index / cheaperOne) / priceEvery) % priceSteps.length] ?? 1
  return share === 1 ? item : { ...item, price: cents(item.price * share), struckPrice: cents(item.price) }
}

/**
 * The marketplace at a time, as a function of the seed and the time alone: every quarter of an hour a new item of each model is listed for an hour, newest
 * first, and some prices fall.
 */
export const inventoryAt = (base: Inventory, now: Date): Inventory => {
  const latest = Math.floor(now.getTime() / changeEvery)
  const listed = Array.from({ length: listedFor }, (_, age) =>
    models.flatMap((_model, index) => newItem(latest - age, index, base) ?? []),
  ).flat()
  return { ...base, active: [...listed, ...base.active.map((item, index) => priced(item, index, latest))] }
}

/** An item by its id: also one that is not listed any more, as pages of ended items remain for a while. */
export const findItem = (inventory: Inventory, id: string, now: Date): DemoItem | undefined => {
  const known = inventory.active.find((one) => one.id === id) ?? inventory.over.find((one) => one.id === id)
  const key = Number(id) - newIds
  if (known !== undefined || !(key >= 0)) return known
  const time = Math.floor(key / modelsPerTime)
  return time > now.getTime() / changeEvery ? undefined : newItem(time, key % modelsPerTime, inventory)
}
