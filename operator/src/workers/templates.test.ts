import { describe, expect, test } from 'vitest'
import { parseWorkerTemplates, readWorkerTemplates } from './templates.ts'

const minimal = { image: 'trellis:1', command: ['node', 'worker.js'] }

const whole = {
  ...minimal,
  imagePullPolicy: 'IfNotPresent',
  imagePullSecrets: [{ name: 'registry' }],
  env: [
    { name: 'NATS_URL', value: 'nats://nats:4222' },
    { name: 'EMPTY', value: '' },
    { name: 'NATS_TOKEN', valueFrom: { secretKeyRef: { name: 'nats', key: 'token' } } },
  ],
  envFrom: [{ configMapRef: { name: 'workers' } }],
  resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '1Gi', cpu: 2 } },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  topologySpreadConstraints: [{ maxSkew: 1 }],
  priorityClassName: 'low',
  runtimeClassName: 'gvisor',
  hostAliases: [{ ip: '192.0.2.7', hostnames: ['shop.example'] }],
  dnsConfig: { searches: ['example'] },
  podLabels: { team: 'search' },
  podAnnotations: { 'prometheus.io/scrape': 'true' },
  serviceAccountName: 'worker',
  podSecurityContext: { fsGroup: 1_000_680_000 },
  extraVolumes: [{ name: 'models', persistentVolumeClaim: { claimName: 'models' } }],
  extraVolumeMounts: [{ name: 'models', mountPath: '/models', readOnly: true }],
}

const parse = (search: unknown) =>
  parseWorkerTemplates(JSON.stringify({ search, generation: minimal, branch: minimal }), 'workers.json')

describe('the templates of workers', () => {
  test('are parsed unchanged', () => {
    expect(parse(whole)).toEqual({ search: whole, generation: minimal, branch: minimal })
  })

  test('may contain null where a chart leaves a value open', () => {
    expect(parse({ ...minimal, affinity: null, env: null }).search).toEqual(minimal)
    expect(parse({ ...minimal, podSecurityContext: { fsGroup: null } }).search).toEqual({
      ...minimal,
      podSecurityContext: {},
    })
  })

  test.each([
    [{ ...minimal, image: '' }, 'workers.json: search.image must be a text that is not empty.'],
    [{ command: ['node'] }, 'workers.json: search.image is missing.'],
    [{ ...minimal, command: [] }, 'workers.json: search.command must be a list of at least 1.'],
    [{ ...minimal, command: ['node', 1] }, 'workers.json: search.command[1] must be a text that is not empty.'],
    [
      { ...minimal, imagePullPolicy: 'never' },
      'workers.json: search.imagePullPolicy must be one of Always, IfNotPresent, Never.',
    ],
    [
      { ...minimal, env: [{ name: 'PORT', value: 80 }] },
      'workers.json: search.env[0].value must be a text; numbers and true or false need quotes.',
    ],
    [
      { ...minimal, env: [{ name: 'KEY', value: 'a', valueFrom: {} }] },
      'workers.json: search.env[0] must have value or valueFrom, not both.',
    ],
    [
      { ...minimal, resources: { limits: { memory: '1 GB' } } },
      'workers.json: search.resources.limits.memory must be a quantity such as 250m, 2 or 512Mi.',
    ],
    [
      { ...minimal, podSecurityContext: { fsGroup: '10001' } },
      'workers.json: search.podSecurityContext.fsGroup must be a whole number from 0.',
    ],
    [{ ...minimal, extraVolumes: [{}] }, 'workers.json: search.extraVolumes[0].name is missing.'],
    [[], 'workers.json: search must be an object.'],
  ])('an invalid one is rejected with a message: %j', (search, sentence) => {
    expect(() => parse(search)).toThrow(sentence)
  })

  test('an unknown field is rejected with the list of known ones', () => {
    expect(() => parse({ ...minimal, arguments: [] })).toThrow(/search\.arguments is not known; there are image, /)
  })

  test('all three templates are required', () => {
    expect(() => parseWorkerTemplates(JSON.stringify({ search: minimal }), 'workers.json')).toThrow(
      'workers.json: generation is missing.',
    )
    expect(() => parseWorkerTemplates('[]', 'workers.json')).toThrow('workers.json: the document must be an object.')
  })

  test('an error names the file that is missing or is not JSON', () => {
    expect(() => readWorkerTemplates('no/such/file.json')).toThrow(
      'TRELLIS_WORKERS names no/such/file.json, which cannot be read.',
    )
    expect(() => parseWorkerTemplates('{', 'workers.json')).toThrow(/^workers\.json is not JSON: /)
  })
})
