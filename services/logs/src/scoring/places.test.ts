import { describe, expect, test } from 'vitest'
import { createPlaces } from './places.ts'

/** Templates with the number of their occurrences in a place, each in a unit of its own. */
const placesWith = (rows: readonly (readonly [kind: string, place: string, times: number])[]) => {
  const places = createPlaces()
  for (const [kind, place, times] of rows)
    for (let unit = 0; unit < times; unit++) places.add({ kind, place, unit: `${kind} ${place} ${unit}` })
  return places
}

describe('the strangeness of a template in a place', () => {
  test('is high if it only occurs in another place, and both are well known', () => {
    const places = placesWith([
      ['backup', 'night', 900],
      ['sale', 'day', 900],
    ])
    expect(places.strangenessOf({ kind: 'backup', place: 'day' })).toBeGreaterThan(0.95)
  })

  test('is 0 if it occurred there before', () => {
    const places = placesWith([
      ['backup', 'night', 900],
      ['backup', 'day', 1],
      ['sale', 'day', 900],
    ])
    expect(places.strangenessOf({ kind: 'backup', place: 'day' })).toBe(0)
  })

  test('is 0 for an unknown template, and in an unknown place', () => {
    const places = placesWith([['backup', 'night', 900]])
    expect(places.strangenessOf({ kind: 'sale', place: 'night' })).toBe(0)
    expect(places.strangenessOf({ kind: 'backup', place: 'day' })).toBe(0)
  })

  test('is 0 if its absence may be chance', () => {
    const places = placesWith([
      ...Array.from({ length: 30 }, (_, node) => ['started', `node ${node}`, 1] as const),
      ...Array.from({ length: 60 }, (_, node) => ['ready', `node ${node}`, 20] as const),
    ])
    expect(places.strangenessOf({ kind: 'started', place: 'node 59' })).toBe(0)
  })

  test('is lower in a place where many templates occurred only once', () => {
    const known = [['backup', 'night', 900] as const, ['sale', 'day', 900] as const]
    const once = Array.from({ length: 300 }, (_, index) => [`oddment ${index}`, 'day', 1] as const)
    const quiet = placesWith(known).strangenessOf({ kind: 'backup', place: 'day' })
    const noisy = placesWith([...known, ...once]).strangenessOf({ kind: 'backup', place: 'day' })
    expect(noisy).toBeLessThan(quiet / 2)
  })

  test('counts repetitions in one unit once', () => {
    const places = createPlaces()
    for (let index = 0; index < 1_000; index++) places.add({ kind: 'flood', place: 'here', unit: 1 })
    expect(places.known('flood')).toEqual({ times: 1, places: 1 })
  })
})
