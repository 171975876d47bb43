import { contract, edge, music, musicJobs, type Theme, theme } from '../../promised.ts'

const service = music('service')
const uploads = music('uploads')
const generate = (name: string) => music(`generate/${name}`)

/** Promises about chains, nodes and decisions. */
export const chains: readonly Theme[] = [
  theme(
    'What the service does',
    [
      'Manages chains of audio nodes: a chain is built from an uploaded file, branches are generated continuations',
      [musicJobs, 'an upload becomes a chain with one committed node'],
      [service, 'takes are generated in the background, in the exact length, and their seams are measured'],
    ],
    [
      'Has a mock mode for testing, which `MUSIC_GENERATOR_MOCK=1` selects',
      [service, 'MUSIC_GENERATOR_MOCK generates a test tune instead of music'],
    ],
    [
      'Separates stems into four parts for paid tiers',
      [musicJobs, 'a node is separated into four stems, which sum to it'],
      [music('separations/separations'), 'below the paid tier stems are 402, and in the paid tier they are made'],
    ],
    [
      'Exports the committed sequence of nodes as one audio file by concatenation',
      [music('export/spine'), 'is the exact concatenation of its pieces'],
      [service, 'committing and discarding change the spine, and exports have exactly its length'],
    ],
    [
      'Streams status changes of the nodes of a chain to clients',
      [musicJobs, 'branches are generated in the background, announced by events'],
    ],
    [
      'Reports GPU capacity',
      [music('gpu/rpc'), 'reports the generation capacity and the available generators'],
      [musicJobs, 'the capacity has its fields'],
    ],
  ),
  theme(
    'Uploads',
    [
      'WAV, MP3, FLAC, OGG, M4A and AIFF are accepted, by content and not by name',
      [uploads, 'of $name becomes a chain whatever its name claims, with its rate and channels'],
      [music('audio/codec-open'), 'the container is detected by content, even after a tag'],
      [service, 'an upload of %s in M4A becomes a chain of exactly its length'],
      [music('audio/mp4/mp4-open'), 'with FLAC in %s is decoded bit-exactly'],
      [music('audio/mp4/mp4-open'), 'with Opus in %s is decoded to the samples of its Ogg file'],
    ],
    [
      '`POST /api/chains` takes `file` and `name` and answers 201',
      [musicJobs, 'an upload becomes a chain with one committed node'],
    ],
    ['A name has at most 200 characters', [uploads, 'with a name of more than 200 characters is rejected']],
    [
      'MP3 is gapless, by its header',
      [music('audio/codec-open'), 'has exactly its original length, without the padding of its codec'],
    ],
    [
      'Anything else is 415 with a sentence',
      [musicJobs, 'an upload of %s is refused with a sentence'],
      [music('audio/mp4/mp4-open'), 'is rejected as unsupported, with a sentence'],
    ],
    ['More than `MUSIC_MAX_UPLOAD_MB` is 413', [uploads, 'more than MUSIC_MAX_UPLOAD_MB']],
    ['More than `MUSIC_MAX_SECONDS` is 422', [uploads, 'more than MUSIC_MAX_SECONDS']],
    ['Less than 1 s is 422', [uploads, 'less than a second']],
    [
      'Rates of 8 to 192 kHz are retained',
      [music('audio/ingest'), 'of %d Hz and %d channels retains both'],
      [uploads, 'a rate below 8 kHz'],
      [uploads, 'a rate above 192 kHz'],
    ],
    ['More than two channels are mixed down', [uploads, 'of six channels is mixed down to two']],
    [
      'Truncated and damaged files are refused, or decoded to no more than they hold',
      [music('audio/cut-short'), '$name is decoded to a prefix of the whole or rejected'],
      [music('audio/mutated'), '$name is decoded to finite samples, no more than it holds, or rejected'],
      [music('uploads-damaged'), 'of $name becomes a chain with sane figures, or is refused with a sentence'],
    ],
  ),
  theme(
    'Chains and nodes',
    [
      'A chain and its nodes have the fields of the contract; unknown values are null',
      [musicJobs, 'a chain and its nodes have the fields of the contract, null where a value is unknown'],
    ],
    [
      'An upload is ready and committed',
      [service, 'an upload becomes a chain of one committed node, with tempo and key'],
    ],
    [
      'Status is `generating`, `ready` or `error`',
      [service, 'events of nodes are numbered'],
      [service, 'a failed generation has its reason, and can be retried'],
    ],
    [
      'Chains are listed newest first, by page; read, renamed and deleted with 204',
      [musicJobs, 'a chain is listed newest first, read, renamed, and deleted with 204'],
      [service, 'chains are listed only for their owner, newest first, by page'],
      [service, 'a chain can be renamed, and deleted with all its files'],
    ],
    [
      'Chains belong to their user, by the identity rules of listings',
      [service, 'chains are listed only for their owner, newest first, by page'],
      [contract('identity'), 'the tier is resolved once in five minutes'],
    ],
  ),
  theme(
    'Branches',
    [
      'A branch is accepted with 202, is `generating`, and is generated in the background',
      [musicJobs, 'branches are generated in the background, announced by events'],
    ],
    ['`generating` becomes `ready`, with an event', [service, 'events of nodes are numbered']],
    [
      '`generating` becomes `error`, with an event',
      [service, 'a failed generation has its reason, and can be retried'],
    ],
    [
      'By default one take of 10 s, a random seed and the whole path as context',
      [uploads, 'a branch has by default one take of 10 s, a random seed and the whole path as context'],
    ],
    [
      'The limits of prompt, duration, seed, context, takes and generator are checked: 422',
      [musicJobs, 'a branch with %s is 422'],
    ],
    [
      'The length is that requested, to the nearest sample',
      [service, 'takes are generated in the background, in the exact length'],
    ],
    ['Take i has the seed plus i', [service, 'takes are generated in the background, in the exact length']],
    [
      'The same parent, seed and parameters give the same bytes',
      [musicJobs, 'generation is deterministic for parent, seed and parameters, and differs by seed'],
      [musicJobs, 'a take whose bars get the drums of others has the same bytes on all forms, and is exported'],
      [service, 'the bytes of a take are determined by its parent, seed and parameters'],
    ],
    [
      'A prompt steers what it can, and the node lists the words that were followed and those that were not',
      [service, 'takes are generated in the background, in the exact length'],
      [generate('steering'), 'the words %j are followed, and the words %j are not'],
      [generate('recombine'), 'an outro ends in silence, calm is softer than energetic'],
      [generate('prompts'), 'a prompt that excludes an instrument is followed'],
      [generate('prompts'), 'a prompt changes the tempo of what follows, gradually and by a few per cent'],
      [generate('prompts'), 'a prompt that names a section prefers its music'],
    ],
    [
      'An optional field of a request may be null',
      [edge('transcode/request'), 'null counts as absent in a body'],
      [edge('transcode/request'), '$name takes null for every field of its body that is not required'],
    ],
    [
      'From a node that is not ready 409',
      [service, 'missing, unfinished and conflicting nodes have their own errors'],
      [
        musicJobs,
        'an unfinished node is 409 until it is deleted, and the root cannot be discarded, retried or deleted',
      ],
    ],
    [
      'From silence 422 with a sentence',
      [musicJobs, 'branching from silence is 422, and the process is still healthy'],
      [service, 'silence cannot be continued'],
    ],
    [
      'Speech is not recombined: the generation fails with a sentence, and music with voices is continued',
      [service, 'speech is not recombined: the generation fails with a sentence'],
      [generate('speech'), 'at %d Hz, with %d syllables a second, is speech'],
      [generate('speech'), 'someone singing without accompaniment'],
      [generate('speech'), 'over music is music'],
    ],
    [
      'A node in error can be retried; others 409',
      [service, 'a failed generation has its reason, and can be retried'],
      [service, 'missing, unfinished and conflicting nodes'],
      [
        musicJobs,
        'an unfinished node is 409 until it is deleted, and the root cannot be discarded, retried or deleted',
      ],
    ],
    [
      'A leaf can be cancelled and removed; with children, or the root, 409',
      [music('chains/cancel'), 'a removal during generation leaves nothing behind'],
      [service, 'missing, unfinished and conflicting nodes have their own errors'],
      [
        musicJobs,
        'an unfinished node is 409 until it is deleted, and the root cannot be discarded, retried or deleted',
      ],
    ],
    [
      'In a cluster each generation is an object and a pod',
      [
        'test/cluster/journey.test.ts',
        'a GenerationJob for a node generated by HTTP reports its output and does not generate it again',
      ],
    ],
    [
      'Generations outlive the replica that started them',
      [service, 'generations that were under way when the server stopped are resumed at the next start'],
      [contract('music-replicas'), 'another replica finishes the generations of a killed one, once'],
    ],
    ['Seams are measured', [music('generate/measure-seam'), 'is stranger than the music itself']],
    [
      'Loudness continues at the seam, and a continuation is no loop',
      [
        music('generate/continue-loudness'),
        'a continuation of a piece that %s begins at the loudness of its last seconds',
      ],
      [music('generate/plan'), 'of a source shorter than the continuation no loop is played'],
    ],
  ),
  theme(
    'Decisions',
    [
      'Commit makes a node the child of its parent on the spine; the displaced sibling and what hung below become undecided',
      [musicJobs, 'commit puts a take on the spine, another commit displaces it, and discard removes it'],
      [music('chains/spine'), 'resets the committed sibling and its descendants to undecided'],
    ],
    ['A discarded node can be committed', [music('chains/spine'), 'restores a discarded node']],
    [
      'Discard takes a node, and what hangs below, off the spine',
      [music('chains/spine'), 'removes a node and its descendants from the spine'],
    ],
    [
      '409 when the parent is not on the spine, the node is not ready, or it is the root',
      [music('chains/spine'), 'rejects the upload'],
      [music('chains/spine'), 'rejects %s'],
      [service, 'missing, unfinished and conflicting nodes have their own errors'],
      [
        musicJobs,
        'an unfinished node is 409 until it is deleted, and the root cannot be discarded, retried or deleted',
      ],
    ],
    [
      'Both answer the chain, and are broadcast',
      [musicJobs, 'commit puts a take on the spine, another commit displaces it, and discard removes it'],
      [musicJobs, 'decisions are broadcast to the clients of the chain'],
    ],
    [
      'Concurrent decisions leave one spine',
      [music('replicas'), 'concurrent decisions on two replicas leave one spine'],
      [contract('music-replicas'), 'concurrent decisions on two replicas result in one spine'],
    ],
  ),
]
