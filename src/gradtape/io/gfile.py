"""Files and directories: `tf.io.gfile`."""

from gradtape._src.files.gfile import GFile as GFile
from gradtape._src.files.gfile import copy as copy
from gradtape._src.files.gfile import exists as exists
from gradtape._src.files.gfile import get_registered_schemes as get_registered_schemes
from gradtape._src.files.gfile import glob as glob
from gradtape._src.files.gfile import isdir as isdir
from gradtape._src.files.gfile import join as join
from gradtape._src.files.gfile import listdir as listdir
from gradtape._src.files.gfile import makedirs as makedirs
from gradtape._src.files.gfile import mkdir as mkdir
from gradtape._src.files.gfile import remove as remove
from gradtape._src.files.gfile import rename as rename
from gradtape._src.files.gfile import rmtree as rmtree
from gradtape._src.files.gfile import stat as stat
from gradtape._src.files.gfile import walk as walk
