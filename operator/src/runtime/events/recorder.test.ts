import { expect, test } from 'vitest'
import { calm, createSimulation } from '../../../test/simulation/mod.ts'
import { resource } from '../objects/resource.ts'
import { createRecorder, events, type Occurrence, type Recorder } from './recorder.ts'

const widgets = resource({ group: 'example.test', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true })
const widget = { metadata: { name: 'w', namespace: 'ns', uid: 'u', resourceVersion: '1' } }
const failed: Occurrence = { type: 'Warning', reason: 'Failed', action: 'Start', note: 'It did not start.' }

const create = (faults = calm) => {
  const simulation = createSimulation({ seed: 1, faults })
  let recorder: Recorder | undefined
  simulation.spawn('a', (parts) => {
    recorder = createRecorder({ ...parts, controller: 'example.test/widget', instance: 'host_1' })
  })
  if (!recorder) throw new Error('the process did not start')
  return { ...simulation, recorder }
}

test('repetitions are counted in one event, whose writes are throttled', async () => {
  const { recorder, clock, storage } = create()
  let commits = 0
  storage.onCommit(() => (commits += 1))
  for (let count = 0; count < 20; count += 1) {
    recorder.record(widgets, widget, failed)
    await clock.advance(1_000)
  }
  expect(storage.list(events)).toHaveLength(1)
  expect(commits).toBe(2)
  await clock.advance(30_000)
  recorder.record(widgets, widget, failed)
  await clock.advance(1_000)
  expect(storage.list(events)[0]).toMatchObject({
    reason: 'Failed',
    reportingController: 'example.test/widget',
    regarding: { kind: 'Widget', name: 'w', namespace: 'ns', uid: 'u' },
    series: { count: 21 },
  })
})

test('a different note, or the same after a pause, is a separate event', async () => {
  const { recorder, clock, storage } = create()
  recorder.record(widgets, widget, failed)
  recorder.record(widgets, widget, { ...failed, note: 'It did not start either.' })
  await clock.advance(400_000)
  recorder.record(widgets, widget, failed)
  await clock.advance(1_000)
  expect(storage.list(events).map(({ note, series }) => [note, series])).toEqual([
    ['It did not start.', undefined],
    ['It did not start either.', undefined],
    ['It did not start.', undefined],
  ])
})

test('queued events are bounded while the server is down, and a note is truncated between characters', async () => {
  const { recorder, clock, storage, weather } = create({ ...calm, refused: 1 })
  for (let count = 0; count < 2_000; count += 1) recorder.record(widgets, widget, { ...failed, note: `No. ${count}` })
  await clock.advance(60_000)
  weather(calm)
  await clock.advance(600_000)
  expect(storage.list(events).length).toBeLessThanOrEqual(500)
  recorder.record(widgets, widget, { ...failed, note: 'ü'.repeat(2_000) })
  await clock.advance(60_000)
  const note = storage.list(events).at(-1)?.note ?? ''
  expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1_024)
  expect(note).toMatch(/^ü+…$/)
})
