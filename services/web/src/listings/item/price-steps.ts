export type PricePoint = { price: number | null; currency: string; captured_at: string }
export type Step = { x: number; y: number }

/**
 * The prices of a listing as steps in a box of 1 by 1, oldest first, the last one until `now`. Prices that could not be read are left out, and
 * those in another currency than the last one's. Undefined with fewer than two changes: a line would pretend a history.
 */
export const priceSteps = (
  points: readonly PricePoint[],
  now: number,
): { steps: Step[]; low: number; high: number; currency: string } | undefined => {
  const currency = points.findLast(({ price }) => price !== null)?.currency ?? ''
  const known = points.flatMap(({ price, currency: of, captured_at: at }) =>
    price === null || of !== currency ? [] : [{ price, at: Date.parse(at) }],
  )
  const [first] = known
  if (!first || known.length < 2) return undefined
  const low = Math.min(...known.map(({ price }) => price))
  const high = Math.max(...known.map(({ price }) => price))
  const x = (at: number) => (now > first.at ? (at - first.at) / (now - first.at) : 0)
  const y = (price: number) => (high > low ? (high - price) / (high - low) : 0.5)
  const steps = known.flatMap(({ price, at }, index) => {
    const end = known[index + 1]?.at ?? now
    return [
      { x: x(at), y: y(price) },
      { x: x(end), y: y(price) },
    ]
  })
  return { steps, low, high, currency }
}
