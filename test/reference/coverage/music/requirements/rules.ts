import { contract, edge, music, musicJobs, type Theme, theme } from '../../promised.ts'

const service = music('service')
const conformance = 'test/conformance/conformance.test.ts'

/** Promises about events, capacity, origins, limits and settings. */
export const rules: readonly Theme[] = [
  theme(
    'Events',
    [
      '`GET /api/chains/{chain_id}/events` streams `node-status` with `node_id` and `status`, `progress`, `decision` and `error`, numbered per chain',
      [service, 'events of nodes are numbered, and a client that reconnects misses nothing'],
      [musicJobs, 'branches are generated in the background, announced by events'],
    ],
    [
      'A comment `keepalive` is sent every 15 s of silence',
      [edge('stream/heartbeat'), 'a silent stream gets a comment every 15 s, and one that is written to gets none'],
      [musicJobs, 'the stream of a chain in which nothing happens has a comment every 15 s'],
    ],
    [
      'Each client subscribes to one chain when it connects',
      [service, 'followers of a chain are notified of removed nodes, and their streams end with the chain'],
    ],
    [
      'The subscription is removed when the client disconnects',
      [contract('stream'), '1,000 clients of one stream each get every event once and in order'],
      ['test/aborts/aborts.test.ts', 'the matrix leaks no resources and logs no errors'],
    ],
    [
      'A client that reconnects misses nothing and gets nothing twice',
      [contract('stream'), 'a reconnecting client resumes without loss or repetition'],
    ],
  ),
  theme(
    'Capacity',
    [
      '`GET /api/gpu` has the fields of the contract',
      [musicJobs, 'the capacity has its fields, and a session leases one slot until it is released'],
    ],
    [
      'In a cluster it reports GPUs by model',
      [music('gpu/rpc'), 'reports the GPUs of a cluster by model, and an unknown wait as null'],
    ],
    [
      'Without workloads the mode is `none`',
      [music('gpu/rpc'), 'reports no capacity while the workloads service is unavailable'],
    ],
    [
      'A session leases one slot for 60 s, is renewed and released; 409 when full, 404 when expired',
      [music('gpu/rpc'), 'leases only free slots, across all replicas, until they are released or expire'],
      [music('gpu/rpc'), 'concurrent requests get no more leases than there are slots'],
    ],
  ),
  theme(
    'Origins',
    [
      'Open to pages of all origins in development; in production to those of `MUSIC_CORS_ORIGINS`, by default to none',
      [contract('music-cors'), 'any page in development'],
      [contract('music-cors'), 'the pages of MUSIC_CORS_ORIGINS'],
      [contract('music-cors'), 'the same in production'],
      [contract('music-cors'), 'no page by default'],
    ],
    ['`MUSIC_CORS_ORIGINS` concerns music only', [contract('music-cors'), 'MUSIC_CORS_ORIGINS opens music only']],
  ),
  theme(
    'Settings, errors and limits',
    [
      '`MUSIC_DB_PATH` and the data directory are read at the start, not at import',
      [music('uploads'), 'MUSIC_DB_PATH and the data directory are read at the start, not when the module is imported'],
    ],
    ['Unknown chains and nodes are 404', [service, 'missing, unfinished and conflicting nodes have their own errors']],
    [
      'Values that the document does not allow are refused with a declared status',
      [conformance, 'operations declare the statuses of the edge itself, and 422 if they have a body'],
    ],
    [
      'What one user stores and has under way is limited',
      [music('quotas/quotas'), 'stores no more audio than allowed, however small the file'],
      [music('quotas/quotas'), 'has a limit of concurrent generations that is separate from other users'],
      [music('separations/separations'), 'one user has a limited number of separations under way'],
    ],
    [
      'A chain has at most `MUSIC_MAX_NODES` nodes',
      [music('replicas'), 'concurrent branches on two replicas stay within the maximum nodes of a chain'],
    ],
  ),
  theme(
    'Command line',
    [
      '`trellis music continue` writes takes as files without a server, the same bytes as a server',
      [
        'services/cli/src/music/music.test.ts',
        'writes each take as a file with the length asked for, and prints their paths and seeds',
      ],
      [
        'services/cli/src/music/music.test.ts',
        'writes the same bytes as a server for the same seed, prompt and length',
      ],
    ],
    [
      '`trellis music stems` writes four stems that sum to the piece',
      ['services/cli/src/music/music.test.ts', 'writes four stems, whose samples sum to those of the piece'],
    ],
    [
      '`trellis music analyse` finds tempo, beats, sections, key and loudness',
      ['services/cli/src/music/music.test.ts', 'finds tempo, metre, beats, key and loudness, as JSON for scripts'],
      ['services/cli/src/music/music.test.ts', 'finds verses and choruses'],
    ],
    [
      'Results appear whole or not at all, and overwrite nothing without `--force`',
      ['services/cli/src/music/music.test.ts', 'ended by %s, leaves no file, no folder and no worker'],
      ['services/cli/src/music/music.test.ts', 'overwrites existing files only with --force'],
    ],
  ),
]
