import { describe, expect, test } from 'vitest'
import type { Discovered } from './discover.ts'
import { draftFromAnswer, interpret } from './interpret.ts'

const found: Discovered = {
  journald: true,
  docker: false,
  podman: false,
  files: [{ path: '/srv/shop/logs/worker.log', size: 1, modifiedAt: 0 }],
}

const dependencies = ({
  paths = [] as string[],
  taken = [] as string[],
  answer = undefined as string | undefined,
} = {}) => {
  const prompts: string[] = []
  return {
    prompts,
    exists: async (path: string) => paths.includes(path),
    discover: async () => found,
    taken: new Set(taken),
    promptModel: async ({ user }: { user: string }) => {
      prompts.push(user)
      return answer
    },
  }
}

describe('a description of a source: keyword shortcut, then LLM, then null', () => {
  test.each([
    ['the nginx logs please', ['/var/log/nginx'], { gleanType: 'file', path: '/var/log/nginx', id: 'nginx' }],
    ['failed logins over SSHD', ['/var/log/secure'], { gleanType: 'file', path: '/var/log/secure', id: 'secure' }],
    ['read /srv/my/app.log.', ['/srv/my/app.log'], { gleanType: 'file', path: '/srv/my/app.log', id: 'my-app' }],
    ['the systemd journal', [], { gleanType: 'journald', id: 'journal' }],
    ['all my docker containers', [], { gleanType: 'docker', id: 'docker' }],
    ['podman', [], { gleanType: 'podman', id: 'podman' }],
    [
      'nginx logs at /var/log/nginx/access.log',
      [],
      { gleanType: 'file', path: '/var/log/nginx/access.log', id: 'nginx-access' },
    ],
    ['it will write /srv/shop/trace', ['/srv/shop'], { gleanType: 'file', path: '/srv/shop/trace' }],
    ['docker container plex', [], { gleanType: 'docker', containers: ['plex'], id: 'plex' }],
    ['the jellyfin container', ['/var/log/jellyfin'], { gleanType: 'docker', containers: ['jellyfin'] }],
    ['podman containers "web-1", db and cache', [], { gleanType: 'podman', containers: ['web-1', 'db', 'cache'] }],
    ['docker logs plex', [], { gleanType: 'docker', containers: ['plex'] }],
    ['logs of all running containers', [], { gleanType: 'docker', containers: [] }],
    ['my docker containers keep restarting', [], { gleanType: 'docker', containers: [] }],
    ['a docker container crashes', [], { gleanType: 'docker', containers: [] }],
    ['the dpkg log', ['/var/log/apt', '/var/log/dpkg.log'], { gleanType: 'file', path: '/var/log/dpkg.log' }],
    ['what apt did', ['/var/log/apt', '/var/log/dpkg.log'], { gleanType: 'file', path: '/var/log/apt' }],
  ])('"%s" is recognised by its keywords', async (text, paths, source) => {
    const stubs = dependencies({ paths })
    expect(await interpret(text, stubs)).toMatchObject({
      method: 'keyword',
      source: { transport: 'local', ...source },
    })
    expect(stubs.prompts).toEqual([])
  })

  test('a source that is not at its usual path is requested from the model, with the available logs', async () => {
    const stubs = dependencies({ answer: '```json\n{"glean_type": "file", "path": "/srv/shop/logs/worker.log"}\n```' })
    expect(await interpret('the output of nginx in the shop', stubs)).toMatchObject({
      method: 'llm',
      source: { gleanType: 'file', path: '/srv/shop/logs/worker.log', id: 'worker' },
    })
    expect(stubs.prompts).toEqual([expect.stringContaining('/srv/shop/logs/worker.log')])
  })

  test('the id gets a number if another source has it', async () => {
    const stubs = dependencies({ paths: ['/var/log/nginx'], taken: ['nginx', 'nginx-2'] })
    expect(await interpret('nginx', stubs)).toMatchObject({ source: { id: 'nginx-3' } })
  })

  test.each([
    ['no model', undefined],
    ['a model with a useless response', 'I cannot help with that.'],
    ['a model that finds no match', '{"glean_type": null}'],
    ['a model that names a file that was not listed', '{"glean_type": "file", "path": "/etc/shadow"}'],
    ['a model that names a type that this machine does not have', '{"glean_type": "docker", "containers": []}'],
    ['a model that invents a type', '{"glean_type": "shell", "path": "rm -rf /"}'],
    ['a model that leads to another machine', '{"glean_type": "file", "transport": "ssh", "path": "../../etc/passwd"}'],
    ['a model that sends half an object', '{"glean_type": "file", "pa'],
  ])('with %s the source is null', async (_, answer) => {
    expect(await interpret('the thing in the corner', dependencies({ answer }))).toMatchObject({
      source: null,
      method: null,
    })
  })

  test('a path that is not one of a file is not used as one', async () => {
    expect(await interpret('requests to /api/cart are slow', dependencies())).toMatchObject({
      source: null,
      method: null,
    })
  })

  test.each([
    ['the nginx logs', /no log of nginx where it usually is on this machine \(\/var\/log\/nginx\)/],
    ['/srv/app/current', /No log can be added at \/srv\/app\/current: .*SERVICE_LOG_DIRS/],
    ['nginx on root@attic', /another machine.*SSH target/],
    ['the thing in the corner', /enter the path of a log file/],
  ])('for "%s", which matches nothing here, the reason has the cause and advice', async (text, reason) => {
    expect(await interpret(text, dependencies())).toEqual({
      source: null,
      method: null,
      reason: expect.stringMatching(reason),
    })
  })

  test('a remote machine is not confused with this one', async () => {
    const stubs = dependencies({ paths: ['/var/log/nginx'] })
    for (const text of [
      'nginx on root@attic over ssh',
      '/var/log/app.log on the remote machine',
      'docker at 192.0.2.7',
    ]) {
      expect(await interpret(text, stubs)).toMatchObject({ source: null, method: null })
    }
  })
})

test('unexpected fields in the response of a model do not get into a source', () => {
  const answer =
    '{"glean_type": "journald", "units": ["nginx", 7, null], "socket": "/etc", "id": "x", "enabled": false}'
  expect(draftFromAnswer(answer, found, new Set())).toMatchObject({ id: 'journal', units: ['nginx'] })
  expect(draftFromAnswer(answer, found, new Set())?.socket ?? null).toBeNull()
})
