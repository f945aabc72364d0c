/* How a recording of others is opened (sqlite.org/vfs.html): none of its files is mapped into
 * memory, where a read of what its owner has truncated would end this program, and none is made
 * or written. SQLite makes the index of a log (FILE-wal) again in memory of this process, from the
 * log's checksummed frames, instead of trusting FILE-shm. While intervals are read, locks in
 * FILE-shm keep the recorder from moving frames into the file (sqlite.org/walformat.html). They are
 * of open descriptors; SQLite's own are of a process, so a process must not write such a file and
 * read it so, too. */
#ifndef RECORD_READ_VFS_H
#define RECORD_READ_VFS_H

/* The name for sqlite3_open_v2(), for reading only. The first call registers it; call it before
 * threads read. NULL: no memory. */
const char *read_vfs_name(void);

#endif
