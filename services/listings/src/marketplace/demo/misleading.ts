import { families } from './catalogue.ts'
import { cents, type DemoItem, type DemoSeller, nonEmpty } from './inventory.ts'
import { createRandom } from './random.ts'

/** Offers that a search for a model finds, but that are something else, and the share of the model's price that they cost. */
const offers: readonly { readonly title: (model: string, noun: string) => string; readonly worth: number }[] = [
  { title: (model, noun) => `Empty box of ${model} ${noun}`, worth: 0.06 },
  { title: (model, noun) => `Dust cover for ${model} ${noun}`, worth: 0.05 },
  { title: (model, noun) => `${model} ${noun} manual only`, worth: 0.04 },
  { title: (model, noun) => `Replacement parts for ${model} ${noun}`, worth: 0.12 },
  { title: (model, noun) => `${model} ${noun} dummy for display`, worth: 0.08 },
  { title: (model, noun) => `Lot of 3 ${model} ${noun}`, worth: 2.7 },
]

const models = families.flatMap((family) => family.models.map(([model, price]) => ({ family, model, price })))

/** Offers of each model among those that are listed, and among those that are over. */
const perModel = { active: 1, over: 2 } as const
const firstId = { active: 150_000_000_000, over: 250_000_000_000 } as const

/** Misleading offers of every model. They are generated apart from the other items, which are the same without them. */
export const misleadingItems = (
  kind: 'active' | 'over',
  seed: number,
  sellers: readonly DemoSeller[],
): readonly DemoItem[] => {
  const random = createRandom(Math.imul(seed, 104_729) + firstId[kind] / 1e9)
  return models.flatMap(({ family, model, price }, index) =>
    Array.from({ length: perModel[kind] }, (_, ordinal) => {
      const { title, worth } = offers[(index + ordinal) % offers.length] ?? { title: () => model, worth: 1 }
      const id = String(firstId[kind] + (index * perModel[kind] + ordinal) * 7919)
      return {
        id,
        title: title(model, family.noun),
        family,
        seller: random.pick(nonEmpty(sellers)),
        condition: 'Pre-Owned',
        price: cents(price * worth * random.around(0.2)),
        highPrice: undefined,
        struckPrice: undefined,
        photo: `pm${id}`,
        bids: undefined,
        takesOffers: false,
        endsAt: () => undefined,
        listedAt: undefined,
        outcome: kind === 'over' ? { kind: 'sold' as const, daysAgo: random.between(0, 88) } : undefined,
      }
    }),
  )
}
