import { expect, test } from 'vitest'
import { priceSteps } from './price-steps.ts'

const point = (price: number | null, hour: number) => ({
  price,
  currency: 'USD',
  captured_at: new Date(Date.UTC(2026, 2, 1, hour)).toISOString(),
})
const now = Date.UTC(2026, 2, 1, 10)

test('one price is no history', () => {
  expect(priceSteps([point(5, 0)], now)).toBeUndefined()
  expect(priceSteps([point(5, 0), point(null, 1)], now)).toBeUndefined()
})

test('each price lasts until the next, and the last until now', () => {
  expect(priceSteps([point(20, 0), point(10, 5)], now)).toEqual({
    low: 10,
    high: 20,
    currency: 'USD',
    steps: [
      { x: 0, y: 0 },
      { x: 0.5, y: 0 },
      { x: 0.5, y: 1 },
      { x: 1, y: 1 },
    ],
  })
})

test('prices in another currency than the last one are not on its scale', () => {
  const foreign = { ...point(900, 0), currency: 'JPY' }
  expect(priceSteps([foreign, point(6, 5)], now)).toBeUndefined()
  expect(priceSteps([foreign, point(6, 5), point(5, 8)], now)).toMatchObject({ low: 5, high: 6, currency: 'USD' })
})
