module example

go 1.17

require github.com/linxGnu/grocksdb v1.11.1
