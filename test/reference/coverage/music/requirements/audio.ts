import { contract, music, musicJobs, type Theme, theme } from '../../promised.ts'

const service = music('service')
const separations = music('separations/separations')

/** Promises about audio, stems and exports. */
export const audio: readonly Theme[] = [
  theme(
    'Audio',
    [
      'The audio of a node is served as 24-bit WAV, whole and by range',
      [musicJobs, 'audio is served whole and by range as 24-bit WAV, and peaks in the requested number'],
      [service, 'the audio of an upload is returned bit-exactly, and so is any range of it'],
    ],
    ['And as MP3, which plays exactly as long', [service, 'an upload as MP3 plays exactly as long']],
    [
      'Before a node is ready 409',
      [service, 'missing, unfinished and conflicting nodes have their own errors'],
      [
        musicJobs,
        'an unfinished node is 409 until it is deleted, and the root cannot be discarded, retried or deleted',
      ],
    ],
    [
      'Peaks have the requested number of points, rounded to three places',
      [service, 'the outline of an upload has the requested number of points'],
      [musicJobs, 'audio is served whole and by range as 24-bit WAV, and peaks in the requested number'],
    ],
  ),
  theme(
    'Stems',
    [
      'A request is accepted with 202',
      [musicJobs, 'a node is separated into four stems, which sum to it, and are deleted with a request'],
    ],
    [
      'The status is `none`, `generating`, `ready` or `error`',
      [separations, 'a node without stems has status none, and null in the chain'],
      [separations, 'a request starts the separation, which reports its progress in events and ends ready'],
      [separations, 'a separation that fails has its reason, and is made again on request'],
    ],
    [
      'Each stem has a url and a share of the energy; the shares sum to 1',
      [separations, 'ready stems have a method, and a url and a share of the energy each; the shares sum to 1'],
    ],
    [
      'Stems are 24-bit WAV, and the four sum to the mix',
      [musicJobs, 'a node is separated into four stems, which sum to it, and are deleted with a request'],
      [separations, 'the four files are 24-bit WAV of the length of the node, and sum to it in every sample'],
    ],
    [
      'Also in a cluster',
      ['test/cluster/journey.test.ts', 'a node is separated into four stems, which sum to it in every sample'],
    ],
    ['Below the paid tier 402', [separations, 'below the paid tier stems are 402, and in the paid tier they are made']],
    [
      'A separation outlives the server that began it',
      [contract('stems-killed'), 'a separation whose server was killed is finished by the next start'],
    ],
  ),
  theme(
    'Export',
    [
      '`POST /api/chains/{chain_id}/export` is a download as WAV (the default) or MP3',
      [musicJobs, 'the export has exactly the length of the spine with a crossfade of %i ms'],
      [service, 'committing and discarding change the spine, and exports have exactly its length'],
    ],
    [
      "Its length is the spine's, to the sample, with or without crossfade",
      [musicJobs, 'the export has exactly the length of the spine with a crossfade of %i ms'],
      [music('export/spine'), 'has the same length with a crossfade of %d frames, and no step'],
    ],
    [
      'It can be normalised',
      [music('export/spine'), 'is normalised to -14 LUFS, or as near as true peaks of -1 dB allow'],
    ],
    [
      'The MP3 is gapless',
      [music('export/spine'), "has LAME's CRC-16 in its header"],
      [service, 'committing and discarding change the spine, and exports have exactly its length'],
    ],
  ),
]
