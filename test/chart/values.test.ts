import { describe, expect, test } from 'vitest'
import { chart, helm, helmMissing, template } from './helm.ts'

/** Invalid values, and what the error message must contain. */
const refused: [string, object, RegExp][] = [
  ['a misspelt name', { edge: { replcas: 3 } }, /at '\/edge'.*'replcas' not allowed/],
  ['an unknown component', { gateway: {} }, /'gateway' not allowed/],
  ['a misspelt nested name', { nats: { bundled: { storge: '1Gi' } } }, /at '\/nats\/bundled'.*'storge'/],
  ['a number as text', { logs: { replicas: 'two' } }, /at '\/logs\/replicas'.*got string, want integer/],
  ['negative replicas', { logs: { replicas: -1 } }, /at '\/logs\/replicas'/],
  ['an invalid quantity', { database: { bundled: { storage: '10 gigs' } } }, /at '\/database\/bundled\/storage'/],
  ['a size that NATS cannot read', { nats: { bundled: { maximumFileStore: '1.5Gi' } } }, /bundled\/maximumFileStore'/],
  ['an invalid pull policy', { image: { pullPolicy: 'Sometimes' } }, /at '\/image\/pullPolicy'/],
  ['an invalid log level', { edge: { logLevel: 'loud' } }, /at '\/edge\/logLevel'/],
  ['an invalid digest', { image: { digest: 'sha256:123' } }, /at '\/image\/digest'/],
  ['an address without its scheme', { publicUrl: 'trellis.example.com' }, /at '\/publicUrl'/],
  ['an address that ends in a slash', { publicUrl: 'https://trellis.example.com/' }, /at '\/publicUrl'/],
  ['an address with a query', { publicUrl: 'https://example.com/trellis?page=1' }, /at '\/publicUrl'/],
  ['an address with a password', { publicUrl: 'https://me:secret@example.com' }, /at '\/publicUrl'/],
  ['a component that does not exist', { networkPolicy: { publicFrom: ['listing'] } }, /publicFrom/],
  ['an image without a repository', { image: { repository: '' } }, /at '\/image\/repository'/],
  ['a route without a Gateway', { httpRoute: { enabled: true } }, /at '\/httpRoute\/parentRefs'/],
  ['an address with a space', { publicUrl: 'https://example.com/my trellis' }, /at '\/publicUrl'/],
  ['a password in the address of NATS', { nats: { url: 'nats://me:secret@nats' } }, /at '\/nats\/url'/],
  ['an invalid currency', { marketplace: { currency: 'dollars' } }, /at '\/marketplace\/currency'/],
  ['a variable without a name', { edge: { extraEnv: [{ value: 'x' }] } }, /at '\/edge\/extraEnv\/0'/],
  ['an ingress without hosts', { ingress: { enabled: true, hosts: [] } }, /at '\/ingress\/hosts'/],
  ['an invalid namespace', { operator: { watchNamespaces: ['Team A'] } }, /at '\/operator\/watchNamespaces\/0'/],
  ['cloud mode without its secret', { cloud: { enabled: true } }, /cloud\.enabled needs cloud\.existingSecret/],
  [
    'licences without cloud mode',
    { cloud: { licenseUrl: 'https://l.example.com' } },
    /cloud\.licenseUrl needs cloud\.enabled/,
  ],
  ['S3 without its secret', { s3: { endpoint: 'https://s3.example.com' } }, /s3\.endpoint needs s3\.existingSecret/],
  ['a key of workers for S3 without S3', { s3: { workers: { existingSecret: 'x' } } }, /needs s3\.endpoint/],
  ['NATS credentials without a NATS URL', { nats: { existingSecret: 'x' } }, /set nats\.url too/],
  [
    'NATS credentials without key names',
    { nats: { url: 'nats://n', existingSecret: 'x', userKey: 'user' } },
    /needs nats\.tokenKey, or nats\.userKey and nats\.passwordKey/,
  ],
  ['replicated streams on the bundled server', { nats: { replicas: 3 } }, /needs servers of your own/],
  [
    'a model without its volume',
    { logs: { models: { embedding: 'mini-lm' } } },
    /logs\.models\.existingClaim must name/,
  ],
  [
    'a model of stems without its volume',
    { music: { models: { stems: 'htdemucs' } } },
    /music\.models\.existingClaim must name/,
  ],
  ['a folder outside of its volume', { logs: { models: { embedding: '../x' } } }, /at '\/logs\/models\/embedding'/],
  ['a submit token without an endpoint', { logs: { submit: { existingSecret: 'x' } } }, /needs logs\.submit\.endpoint/],
  [
    'an invalid file name of formats',
    { logs: { files: { formats: { 'a/b.yaml': 'x' } } } },
    /at '\/logs\/files\/formats'/,
  ],
  ['negative retention days', { logs: { retention: { days: -1 } } }, /at '\/logs\/retention\/days'/],
  [
    'mail without its server',
    { listings: { alerts: { smtp: { from: 'a@b.example' } } } },
    /needs both from and existingSecret/,
  ],
  [
    'mail without a sender',
    { listings: { alerts: { smtp: { existingSecret: 'x' } } } },
    /needs both from and existingSecret/,
  ],
  ['an invalid sender', { listings: { alerts: { smtp: { from: 'alerts' } } } }, /at '\/listings\/alerts\/smtp\/from'/],
  [
    'a tracker without its token',
    { listings: { feedback: { url: 'https://forge.example/api/v1', repository: 'a/b' } } },
    /needs listings\.feedback\.existingSecret/,
  ],
  [
    'the token of an unknown tracker',
    { listings: { feedback: { existingSecret: 'x', url: 'https://forge.example/api/v1' } } },
    /needs listings\.feedback\.url and listings\.feedback\.repository/,
  ],
  [
    'notifications without their token',
    { marketplace: { notifications: { endpoint: 'https://m.example/x' } } },
    /endpoint and existingSecret/,
  ],
  [
    'a guest retention of no days',
    { listings: { retention: { guestDays: 0 } } },
    /at '\/listings\/retention\/guestDays'/,
  ],
  [
    'no service enabled',
    { listings: { enabled: false }, logs: { enabled: false }, music: { enabled: false } },
    /One of listings, logs and music must be enabled/,
  ],
  [
    'an autoscaler with minReplicas above maxReplicas',
    { edge: { autoscaling: { enabled: true, minReplicas: 9, maxReplicas: 3 } } },
    /minReplicas must not be above/,
  ],
  [
    'more replicas than the bundled Postgres has connections for',
    { listings: { replicas: 7 }, logs: { replicas: 7 }, music: { replicas: 7 } },
    /may open 210 connections, but the bundled Postgres admits 200: raise database\.bundled\.settings\.max_connections/,
  ],
]

describe.skipIf(helmMissing !== undefined)(`values${helmMissing ? ` (skipped: ${helmMissing})` : ''}`, () => {
  test.each(refused)('%s is refused with a message that names the value', async (_what, values, words) => {
    const { code, error } = await template(values)
    expect(code).not.toBe(0)
    expect(error).toMatch(words)
  })

  test.each(['2nd', 'trellis.home'])('the release name %s is refused, unless fullnameOverride replaces it', (name) => {
    const { code, error } = helm('template', name, chart)
    expect({ code, error }).toMatchObject({ code: 1, error: expect.stringContaining('set fullnameOverride') })
    expect(helm('template', name, chart, '--set', 'fullnameOverride=trellis')).toMatchObject({ code: 0 })
  })

  test('global values of a parent chart are accepted', async () => {
    expect(await template({ global: { storageClass: 'fast' } })).toMatchObject({ code: 0 })
  })
})
