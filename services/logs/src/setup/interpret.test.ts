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
  const asked: string[] = []
  return {
    asked,
    exists: async (path: string) => paths.includes(path),
    discover: async () => found,
    taken: new Set(taken),
    ask: async ({ user }: { user: string }) => {
      asked.push(user)
      return answer
    },
  }
}

describe('a description of a source: keyword shortcut, then LLM, then null', () => {
  test.each([
    ['the nginx logs please', ['/var/log/nginx'], { gleanType: 'file', path: '/var/log/nginx', id: 'nginx' }],
    [
      'who tried to log in over SSHD',
      ['/var/log/secure'],
      { gleanType: 'file', path: '/var/log/secure', id: 'secure' },
    ],
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
  ])('"%s" is known by its words', async (text, paths, source) => {
    const asking = dependencies({ paths })
    expect(await interpret(text, asking)).toMatchObject({
      method: 'keyword',
      source: { transport: 'local', ...source },
    })
    expect(asking.asked).toEqual([])
  })

  test('what is not there by its usual place is asked of the model, with what there is to choose from', async () => {
    const asking = dependencies({ answer: '```json\n{"glean_type": "file", "path": "/srv/shop/logs/worker.log"}\n```' })
    expect(await interpret('what nginx of the shop says', asking)).toMatchObject({
      method: 'llm',
      source: { gleanType: 'file', path: '/srv/shop/logs/worker.log', id: 'worker' },
    })
    expect(asking.asked).toEqual([expect.stringContaining('/srv/shop/logs/worker.log')])
  })

  test('an id that another source has gets a number', async () => {
    const asking = dependencies({ paths: ['/var/log/nginx'], taken: ['nginx', 'nginx-2'] })
    expect(await interpret('nginx', asking)).toMatchObject({ source: { id: 'nginx-3' } })
  })

  test.each([
    ['no model', undefined],
    ['a model that says nothing of use', 'I cannot help with that.'],
    ['a model that says that nothing fits', '{"glean_type": null}'],
    ['a model that names a file that it was not given', '{"glean_type": "file", "path": "/etc/shadow"}'],
    ['a model that names what is not here', '{"glean_type": "docker", "containers": []}'],
    ['a model that makes up a kind', '{"glean_type": "shell", "path": "rm -rf /"}'],
    ['a model that would go elsewhere', '{"glean_type": "file", "transport": "ssh", "path": "../../etc/passwd"}'],
    ['a model that sends half an object', '{"glean_type": "file", "pa'],
  ])('with %s it is null', async (_, answer) => {
    expect(await interpret('the thing in the corner', dependencies({ answer }))).toMatchObject({
      source: null,
      method: null,
    })
  })

  test('a path of something else than a file is not taken for one', async () => {
    expect(await interpret('requests to /api/cart are slow', dependencies())).toMatchObject({
      source: null,
      method: null,
    })
  })

  test.each([
    ['the nginx logs', /no log of nginx where it usually is on this machine \(\/var\/log\/nginx\)/],
    ['/srv/app/current', /no log that can be added at \/srv\/app\/current: .*SERVICE_LOG_DIRS/],
    ['nginx on root@attic', /another machine.*SSH target/],
    ['the thing in the corner', /write the path of a log file/],
  ])('of "%s", which is nothing here, it is said why and what to do', async (text, reason) => {
    expect(await interpret(text, dependencies())).toEqual({
      source: null,
      method: null,
      reason: expect.stringMatching(reason),
    })
  })

  test('a machine that is reached over the network is not taken for this one', async () => {
    const asking = dependencies({ paths: ['/var/log/nginx'] })
    for (const text of [
      'nginx on root@attic over ssh',
      '/var/log/app.log on the remote machine',
      'docker at 192.0.2.7',
    ]) {
      expect(await interpret(text, asking)).toMatchObject({ source: null, method: null })
    }
  })
})

test('what a model adds of its own does not get into a source', () => {
  const answer =
    '{"glean_type": "journald", "units": ["nginx", 7, null], "socket": "/etc", "id": "x", "enabled": false}'
  expect(draftFromAnswer(answer, found, new Set())).toMatchObject({ id: 'journal', units: ['nginx'] })
  expect(draftFromAnswer(answer, found, new Set())?.socket ?? null).toBeNull()
})
