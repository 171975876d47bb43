import { describe, expect, test } from 'vitest'
import { helmMissing, template } from './helm.ts'

/** Values that are refused, by what the refusal must name. */
const refused: [string, object, RegExp][] = [
  ['a name that is misspelt', { edge: { replcas: 3 } }, /at '\/edge'.*'replcas' not allowed/],
  ['a component that there is not', { gateway: {} }, /'gateway' not allowed/],
  ['a deeper name that is misspelt', { nats: { bundled: { storge: '1Gi' } } }, /at '\/nats\/bundled'.*'storge'/],
  ['a number as text', { logs: { replicas: 'two' } }, /at '\/logs\/replicas'.*got string, want integer/],
  ['replicas below none', { logs: { replicas: -1 } }, /at '\/logs\/replicas'/],
  ['a quantity that is none', { database: { bundled: { storage: '10 gigs' } } }, /at '\/database\/bundled\/storage'/],
  ['a pull policy that is none', { image: { pullPolicy: 'Sometimes' } }, /at '\/image\/pullPolicy'/],
  ['a log level that is none', { edge: { logLevel: 'loud' } }, /at '\/edge\/logLevel'/],
  ['a digest that is none', { image: { digest: 'sha256:123' } }, /at '\/image\/digest'/],
  ['an address without its scheme', { publicUrl: 'trellis.example.com' }, /at '\/publicUrl'/],
  ['an address that ends in a slash', { publicUrl: 'https://trellis.example.com/' }, /at '\/publicUrl'/],
  ['a password in the address of NATS', { nats: { url: 'nats://me:secret@nats' } }, /at '\/nats\/url'/],
  ['a currency that is none', { marketplace: { currency: 'dollars' } }, /at '\/marketplace\/currency'/],
  ['a variable without a name', { edge: { extraEnv: [{ value: 'x' }] } }, /at '\/edge\/extraEnv\/0'/],
  ['an ingress for nobody', { ingress: { enabled: true, hosts: [] } }, /at '\/ingress\/hosts'/],
  ['a namespace that is none', { operator: { watchNamespaces: ['Team A'] } }, /at '\/operator\/watchNamespaces\/0'/],
  ['cloud mode without its secret', { cloud: { enabled: true } }, /cloud\.enabled needs cloud\.existingSecret/],
  ['licences without cloud mode', { cloud: { licenseUrl: 'https://l.example.com' } }, /only asked with cloud\.enabled/],
  ['S3 without its secret', { s3: { endpoint: 'https://s3.example.com' } }, /s3\.endpoint needs s3\.existingSecret/],
  ['credentials for a NATS that is not named', { nats: { existingSecret: 'x' } }, /set nats\.url too/],
  [
    'credentials of NATS without their key',
    { nats: { url: 'nats://n', existingSecret: 'x', userKey: 'user' } },
    /needs nats\.tokenKey, or nats\.userKey and nats\.passwordKey/,
  ],
  ['copies of events on one server', { nats: { replicas: 3 } }, /needs servers of your own/],
  [
    'a model without its volume',
    { logs: { models: { embedding: 'mini-lm' } } },
    /logs\.models\.existingClaim must name/,
  ],
  ['a folder outside of its volume', { logs: { models: { embedding: '../x' } } }, /at '\/logs\/models\/embedding'/],
  [
    'a token for nobody',
    { logs: { submit: { existingSecret: 'x' } } },
    /sent to nobody without logs\.submit\.endpoint/,
  ],
  [
    'a file of formats that is none',
    { logs: { files: { formats: { 'a/b.yaml': 'x' } } } },
    /at '\/logs\/files\/formats'/,
  ],
  ['days that are none', { logs: { retention: { days: -1 } } }, /at '\/logs\/retention\/days'/],
  [
    'an edge alone',
    { listings: { enabled: false }, logs: { enabled: false }, music: { enabled: false } },
    /One of listings, logs and music must be enabled/,
  ],
  [
    'an autoscaler that cannot be',
    { edge: { autoscaling: { enabled: true, minReplicas: 9, maxReplicas: 3 } } },
    /minReplicas must not be above/,
  ],
]

describe.skipIf(helmMissing !== undefined)(`values${helmMissing ? ` (skipped: ${helmMissing})` : ''}`, () => {
  test.each(refused)('with %s are refused, and it is said which', async (_what, values, words) => {
    const { code, error } = await template(values)
    expect(code).not.toBe(0)
    expect(error).toMatch(words)
  })

  test('that another chart has for all of its charts are let through', async () => {
    expect(await template({ global: { storageClass: 'fast' } })).toMatchObject({ code: 0 })
  })
})
