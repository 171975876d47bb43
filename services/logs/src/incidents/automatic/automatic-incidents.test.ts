import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { describe, expect, test } from 'vitest'
import { openService } from '../service-for-tests.ts'

type Service = Awaited<ReturnType<typeof openService>>

const errorsAt = (start: number, count = 5, word = 'failure') =>
  Array.from({ length: count }, (_, number) => ({
    text: `${word} ${start} ${number}`,
    timestamp_iso: new Date(start + number * 1_000).toISOString(),
    severity: 'ERROR',
  }))

const automatic = async (service: Service) =>
  (await service.incidents.listIncidents({})).incidents.filter(({ automatic }) => automatic)

/** The spec's limit for the evaluation. */
const within = { timeout: 120_000, interval: 100 }

describe('auto-incidents', () => {
  test('are created automatically from error clusters, with issue_type auto:<source_id>, and show their errors', async () => {
    await using service = await openService()
    const start = Date.now() - 60_000
    await service.push('app:web1:shop', errorsAt(start))
    await service.push('quiet', errorsAt(start, 4))
    await expect.poll(() => automatic(service), within).toHaveLength(1)
    const [incident] = await automatic(service)
    expect(incident).toMatchObject({
      issueType: 'auto:app:web1:shop',
      sourceId: 'app:web1:shop',
      severity: 'ERROR',
      status: 'open',
      errorCount: 5,
      startedAt: new Date(start).toISOString(),
      endedAt: new Date(start + 4_000).toISOString(),
    })
    expect((await service.incidents.getIncident({ id: incident?.id ?? '' })).entries).toHaveLength(5)
  })

  test('are extended while open, not duplicated, even after a restart', async () => {
    await using directory = await temporaryDirectory()
    const start = Date.now() - 600_000
    {
      await using service = await openService({ directory: directory.path })
      await service.push('app', errorsAt(start))
      await expect.poll(() => automatic(service), within).toHaveLength(1)
    }
    await using again = await openService({ directory: directory.path })
    await again.push('app', errorsAt(start + 300_000))
    const end = async () => (await automatic(again)).map(({ endedAt }) => endedAt)
    await expect.poll(end, within).toEqual([new Date(start + 304_000).toISOString()])
  })

  test('are extended and settled after a user has edited their issue type or their source', async () => {
    await using service = await openService()
    const start = Date.now() - 600_000
    await service.push('app', errorsAt(start))
    await service.push('db', errorsAt(start))
    await expect.poll(() => automatic(service), within).toHaveLength(2)
    const idOf = async (issueType: string) =>
      (await automatic(service)).find((incident) => incident.issueType === issueType)?.id ?? ''
    const [app, db] = [await idOf('auto:app'), await idOf('auto:db')]
    await service.incidents.updateIncident({ id: app, issueType: 'disk full', updateMask: ['issue_type'] })
    await service.incidents.updateIncident({ id: db, sourceId: null, updateMask: ['source_id'] })
    await service.incidents.updateIncident({ id: db, status: 'resolved', updateMask: ['status'] })
    await service.push('db', errorsAt(start + 60_000))
    await service.push('app', errorsAt(start + 300_000))
    const end = async () => (await service.incidents.getIncident({ id: app })).endedAt
    await expect.poll(end, within).toBe(new Date(start + 304_000).toISOString())
    // A cluster of another source shows that an evaluation has run since.
    await service.push('other', errorsAt(start))
    await expect.poll(() => idOf('auto:other'), within).not.toBe('')
    expect((await automatic(service)).map(({ issueType }) => issueType).toSorted()).toEqual([
      'auto:db',
      'auto:other',
      'disk full',
    ])
  })

  test('a resolved incident is not reopened by old entries; new errors create another one', async () => {
    await using service = await openService()
    const start = Date.now() - 300_000
    await service.push('app', errorsAt(start))
    await expect.poll(() => automatic(service), within).toHaveLength(1)
    const [first] = await automatic(service)
    await service.incidents.updateIncident({ id: first?.id ?? '', status: 'resolved', updateMask: ['status'] })
    await service.push('app', errorsAt(start + 60_000, 9, 'late'))
    // A cluster of another source shows that an evaluation has run since.
    await service.push('other', errorsAt(start))
    await expect.poll(() => automatic(service), within).toHaveLength(2)
    await service.push('app', errorsAt(Date.now() + 5_000, 5, 'new'))
    await expect
      .poll(async () => (await automatic(service)).map(({ issueType }) => issueType), within)
      .toEqual(['auto:app', 'auto:other', 'auto:app'])
    expect((await service.incidents.getIncident({ id: first?.id ?? '' })).status).toBe('resolved')
  })

  test('a deleted incident is not recreated from its errors, and an old file creates none', async () => {
    await using service = await openService()
    const start = Date.now() - 300_000
    await service.push('app', errorsAt(start))
    await expect.poll(() => automatic(service), within).toHaveLength(1)
    const [first] = await automatic(service)
    await service.incidents.deleteIncident({ id: first?.id ?? '' })
    await service.push('old', errorsAt(start - 365 * 86_400_000, 500))
    await service.push('app', [{ text: 'once more', timestamp_iso: new Date(start).toISOString(), severity: 'ERROR' }])
    await service.push('other', errorsAt(start))
    await expect
      .poll(async () => (await automatic(service)).map(({ issueType }) => issueType), within)
      .toEqual(['auto:other'])
  })

  test('with an end set by a user are not extended past it: later errors create another one', async () => {
    await using service = await openService()
    const start = Date.now() - 300_000
    await service.push('app', errorsAt(start))
    await expect.poll(() => automatic(service), within).toHaveLength(1)
    const [first] = await automatic(service)
    const id = first?.id ?? ''
    const end = new Date(start + 2_000).toISOString()
    await service.incidents.updateIncident({ id, endedAt: end, updateMask: ['ended_at'] })
    // Errors up to now count as reviewed; later ones do not.
    await service.push('app', errorsAt(start + 10_000, 9, 'before'))
    await service.push('app', errorsAt(Date.now() + 5_000, 5, 'after'))
    await expect
      .poll(async () => (await automatic(service)).map(({ errorCount }) => errorCount), within)
      .toEqual([5, 5])
    expect(await service.incidents.getIncident({ id })).toMatchObject({ status: 'open', endedAt: end, errorCount: 5 })
  })

  test('auto-incident switch: SERVICE_AUTO_INCIDENT turns them off; threshold and window are settings', async () => {
    await using off = await openService({ environment: { SERVICE_AUTO_INCIDENT: '0' } })
    await using strict = await openService({
      environment: { SERVICE_AUTO_INCIDENT_THRESHOLD: '2', SERVICE_AUTO_INCIDENT_WINDOW: '1' },
    })
    const start = Date.now() - 60_000
    await off.push('app', errorsAt(start, 50))
    await strict.push('app', errorsAt(start, 2))
    await strict.push('slow', [...errorsAt(start, 1), ...errorsAt(start + 10_000, 1)])
    await expect
      .poll(async () => (await automatic(strict)).map(({ issueType }) => issueType), within)
      .toEqual(['auto:app'])
    expect(await automatic(off)).toEqual([])
  })
})
